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

AmOwner::~AmOwner() { (void)ucx::ClearHandler(worker_, kAmRequest); }

ucx::Kept AmOwner::OnRequest(const ucx::Arrival& arrival) {
  const absl::StatusOr<Request> request = DecodeRequest(
      {reinterpret_cast<const uint8_t*>(arrival.header.data()), arrival.header.size()});
  if (!request.ok() || !arrival.reply_to) {
    Fail(request.ok() ? absl::DataLossError("a request without a way to answer it")
                      : request.status());
    return ucx::Kept::kNo;
  }
  const OwnerService::Answer answer = service_.Handle(*request);
  const ReplyBytes header = EncodeReply(answer.reply);
  ++in_flight_;
  ucx::SendActiveMessageThen(
      arrival.reply_to,
      {.id = kAmReply,
       .header = absl::string_view(reinterpret_cast<const char*>(header.data()), header.size()),
       .data = answer.data.data(),
       .bytes = answer.data.size(),
       .registered =
           answer.registration == nullptr ? nullptr : &MappedMemoryOf(*answer.registration)},
      {.call = &AmOwner::OnSent, .self = this});
  return ucx::Kept::kNo;
}

void AmOwner::OnSent(void* self, const absl::Status& status) {
  auto* owner = static_cast<AmOwner*>(self);
  --owner->in_flight_;
  if (!status.ok()) owner->Fail(status);
}

void AmOwner::Fail(const absl::Status& status) {
  ++failures_;
  last_failure_ = status;
}

}  // namespace rdmalab
