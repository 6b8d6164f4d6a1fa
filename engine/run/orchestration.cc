#include "engine/run/orchestration.h"

#include <array>

#include "absl/strings/str_cat.h"
#include "engine/base/deadline.h"
#include "engine/base/little_endian.h"
#include "engine/base/status.h"
#include "engine/base/stop_signal.h"
#include "engine/exchange/meeting.h"

namespace rdmalab {
namespace {

// An answer to `next` comes within tens of microseconds: sleeping for it would cost more than that.
constexpr absl::Duration kSpin = absl::Microseconds(200);
constexpr absl::Duration kSleep = absl::Milliseconds(20);

const char* NameOf(uint16_t type) {
  return type == kFrameStage ? "staging a block" : type == kFrameNext ? "the next cell" : "the end";
}

}  // namespace

absl::StatusOr<int64_t> Orchestration::Stage(int block, absl::Duration timeout) {
  return Ask(kFrameStage, static_cast<uint32_t>(block), timeout);
}

absl::StatusOr<int64_t> Orchestration::Next(int cell, absl::Duration timeout) {
  return Ask(kFrameNext, static_cast<uint32_t>(cell), timeout);
}

absl::StatusOr<int64_t> Orchestration::Bye(absl::Duration timeout) {
  return Ask(kFrameBye, 0, timeout);
}

absl::StatusOr<int64_t> Orchestration::Ask(uint16_t type, uint32_t value, absl::Duration timeout) {
  const int64_t start_ns = clock_.Now();
  const int64_t spin_until_ns = start_ns + absl::ToInt64Nanoseconds(kSpin);
  const Deadline deadline = Deadline::After(clock_, timeout);
  RETURN_IF_ERROR(SendNumber(connection_, type, value, deadline));
  while (true) {
    ASSIGN_OR_RETURN(const auto message, NextAnswer());
    if (message.has_value() && message->type == kFrameRefused) {
      return GaveUp("owner", message->payload);
    }
    if (message.has_value() && message->type == kFrameDone) {
      ASSIGN_OR_RETURN(const uint32_t done, ReadNumber(message->payload));
      if (done != value) return absl::DataLossError("the owner answers another question");
      return clock_.Now() - start_ns;
    }
    RETURN_IF_ERROR(StopSignal::Check());
    if (deadline.Expired()) {
      return absl::DeadlineExceededError(
          absl::StrCat("the owner does not answer (", NameOf(type), ")"));
    }
    if (!message.has_value() && clock_.Now() > spin_until_ns) connection_.WaitReadable(kSleep);
  }
}

// Late replies to a get that was given up are passed over: a chunk is longer than any message.
absl::StatusOr<std::optional<FrameConnection::Message>> Orchestration::NextAnswer() {
  if (connection_.remaining() == 0) {
    ASSIGN_OR_RETURN(const bool header, connection_.PollHeader());
    if (!header) return std::nullopt;
  }
  if (connection_.header().type != kFrameReply) return connection_.PollMessage();
  RETURN_IF_ERROR(connection_.PollSkip().status());
  return std::nullopt;
}

absl::Status SendNumber(FrameConnection& connection, uint16_t type, uint32_t value,
                        const Deadline& deadline) {
  std::array<uint8_t, sizeof(value)> bytes{};
  StoreLittle<uint32_t>(bytes.data(), value);
  return connection.Send(type, bytes, {}, deadline);
}

absl::StatusOr<uint32_t> ReadNumber(absl::Span<const uint8_t> payload) {
  if (payload.size() != sizeof(uint32_t)) {
    return absl::DataLossError(absl::StrCat("a number of ", payload.size(), " bytes"));
  }
  return LoadLittle<uint32_t>(payload.data());
}

absl::Status GaveUp(absl::string_view who, absl::Span<const uint8_t> refusal) {
  return absl::UnavailableError(
      absl::StrCat("the ", who, " gave up: ", ReadRefusal(refusal).message()));
}

}  // namespace rdmalab
