#include "engine/rendezvous/owner_transport.h"

#include "absl/strings/string_view.h"
#include "engine/base/status.h"
#include "engine/rendezvous/messages.h"
#include "engine/rendezvous/ucx_registrar.h"
#include "engine/rendezvous/wire.h"

namespace rdmalab {

absl::Status AnswerOverTcp(OwnerService& service, FrameConnection& connection,
                           absl::Span<const uint8_t> payload,
                           absl::FunctionRef<absl::Status()> while_full) {
  ASSIGN_OR_RETURN(const Request request, DecodeRequest(payload));
  const OwnerService::Answer answer = service.Handle(request);
  return connection.Send(kFrameReply, EncodeReply(answer.reply), answer.data, while_full);
}

absl::StatusOr<std::unique_ptr<AmOwner>> AmOwner::Create(const ucx::Worker& worker,
                                                         OwnerService& service) {
  std::unique_ptr<AmOwner> owner(new AmOwner(worker, service));
  RETURN_IF_ERROR(ucx::SetHandler<&AmOwner::OnRequest>(worker, kAmRequest, owner.get()));
  return owner;
}

AmOwner::~AmOwner() {
  (void)ucx::ClearHandler(worker_, kAmRequest);
  if (ledger_->in_flight == 0) return;
  ledger_->orphaned = true;
  ledger_.release();  // the last reply deletes it
}

ucx::Kept AmOwner::OnRequest(const ucx::Arrival& arrival) {
  const absl::StatusOr<Request> request = DecodeRequest(
      {reinterpret_cast<const uint8_t*>(arrival.header.data()), arrival.header.size()});
  if (!request.ok() || !arrival.reply_to) {
    ledger_->Fail(request.ok() ? absl::DataLossError("a request without a way to answer it")
                               : request.status());
    return ucx::Kept::kNo;
  }
  const OwnerService::Answer answer = service_.Handle(*request);
  const ReplyBytes header = EncodeReply(answer.reply);
  ++ledger_->in_flight;
  ucx::SendActiveMessageThen(
      arrival.reply_to,
      {.id = kAmReply,
       .header = absl::string_view(reinterpret_cast<const char*>(header.data()), header.size()),
       .data = answer.data.data(),
       .bytes = answer.data.size(),
       .registered =
           answer.registration == nullptr ? nullptr : &MappedMemoryOf(*answer.registration)},
      {.call = &Ledger::OnSent, .self = ledger_.get()});
  return ucx::Kept::kNo;
}

void AmOwner::Ledger::OnSent(void* self, const absl::Status& status) {
  auto* const ledger = static_cast<Ledger*>(self);
  --ledger->in_flight;
  if (!status.ok()) ledger->Fail(status);
  if (ledger->orphaned && ledger->in_flight == 0) delete ledger;
}

void AmOwner::Ledger::Fail(const absl::Status& status) {
  ++failures;
  last_failure = status;
}

}  // namespace rdmalab
