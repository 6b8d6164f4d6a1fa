#include "engine/operations/ucx_receiver.h"

#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "engine/base/status.h"
#include "engine/operations/ucx_drivers.h"

namespace rdmalab {
namespace {

// A batch that stays unfinished is acknowledged after so many turns without a message.
constexpr uint64_t kQuietTurns = 4;

}  // namespace

absl::StatusOr<std::unique_ptr<UcxReceiver>> UcxReceiver::Create(const Options& options) {
  std::unique_ptr<UcxReceiver> receiver(new UcxReceiver(options));
  RETURN_IF_ERROR(
      ucx::SetHandler<&UcxReceiver::OnMessage>(options.worker, kUcxMessage, receiver.get()));
  return receiver;
}

UcxReceiver::~UcxReceiver() { (void)ucx::ClearHandler(options_.worker, kUcxMessage); }

ucx::Kept UcxReceiver::OnMessage(const ucx::Arrival& arrival) {
  if (arrival.bytes != options_.working_set.message_bytes()) {
    failure_ = absl::DataLossError(absl::StrCat("a message of ", arrival.bytes, " bytes came, ",
                                                options_.working_set.message_bytes(), " were due"));
    return ucx::Kept::kNo;
  }
  uint8_t* const to = options_.address + options_.working_set.OffsetOf(started_++);
  if (!arrival.rndv) {
    std::memcpy(to, arrival.data, arrival.bytes);
    ++received_;
    return ucx::Kept::kNo;
  }
  pending_.push_back(ucx::ReceiveActiveMessage(options_.worker, arrival.data, to, arrival.bytes,
                                               &options_.memory));
  return ucx::Kept::kYes;
}

absl::StatusOr<bool> UcxReceiver::Serve(const ucx::Endpoint& to) {
  while (!pending_.empty() && pending_.front().Done()) {
    if (pending_.front().outcome() != UCS_OK) return pending_.front().status();
    pending_.pop_front();
    ++received_;
  }
  RETURN_IF_ERROR(failure_);
  const uint64_t owed = received_ - told_;
  if (owed == 0) return !pending_.empty();
  if (owed < options_.credit_every && ++quiet_turns_ < kQuietTurns) return true;
  quiet_turns_ = 0;
  told_ = received_;
  const UcxCredit credit = {.link = options_.link, .arrived = received_};
  const absl::string_view header(reinterpret_cast<const char*>(&credit), sizeof(credit));
  RETURN_IF_ERROR(
      ucx::SendActiveMessageOwned(to.peer(), {.id = kUcxCredit, .header = header}, std::string()));
  return true;
}

}  // namespace rdmalab
