#include "engine/ucx/active_message.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/ucx/status.h"

namespace rdmalab::ucx {
namespace {

constexpr const char* kSendCall = "ucp_am_send_nbx";

ucp_request_param_t ParamOf(const Message& message) {
  ucp_request_param_t param;
  param.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
  // The caller's header may lie on its stack.
  param.flags = UCP_AM_SEND_FLAG_COPY_HEADER;
  if (message.want_reply) param.flags |= UCP_AM_SEND_FLAG_REPLY;
  if (message.transfer == Transfer::kEager) param.flags |= UCP_AM_SEND_FLAG_EAGER;
  if (message.transfer == Transfer::kRendezvous) param.flags |= UCP_AM_SEND_FLAG_RNDV;
  if (message.registered != nullptr) {
    param.op_attr_mask |= UCP_OP_ATTR_FIELD_MEMH;
    param.memh = message.registered->handle();
  }
  return param;
}

ucs_status_ptr_t Send(PeerHandle to, const Message& message, const ucp_request_param_t& param) {
  return ucp_am_send_nbx(to.endpoint, message.id, message.header.data(), message.header.size(),
                         message.data, message.bytes, &param);
}

// A request that reports to an OnSent on the heap instead of to a waiting caller.
void ReportSent(void* request, ucs_status_t status, void* user_data) {
  const std::unique_ptr<OnSent> then(static_cast<OnSent*>(user_data));
  ucp_request_free(request);
  then->call(then->self, PeerToStatus(status, kSendCall));
}

void DropData(void* request, ucs_status_t /*status*/, void* user_data) {
  const std::unique_ptr<std::string> data(static_cast<std::string*>(user_data));
  ucp_request_free(request);
}

}  // namespace

namespace internal {

absl::Status SetHandler(const Worker& worker, unsigned id, bool persistent,
                        ucp_am_recv_callback_t callback, void* self) {
  ucp_am_handler_param_t param = {};
  param.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_FLAGS |
                     UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG;
  param.id = id;
  param.flags = UCP_AM_FLAG_WHOLE_MSG;
  if (persistent) param.flags |= UCP_AM_FLAG_PERSISTENT_DATA;
  param.cb = callback;
  param.arg = self;
  return ToStatus(ucp_worker_set_am_recv_handler(worker.handle(), &param),
                  "ucp_worker_set_am_recv_handler", absl::StrCat("id ", id));
}

}  // namespace internal

absl::Status ClearHandler(const Worker& worker, unsigned id) {
  return internal::SetHandler(worker, id, /*persistent=*/false, nullptr, nullptr);
}

Request SendActiveMessage(PeerHandle to, const Message& message) {
  return Request(Send(to, message, ParamOf(message)), kSendCall);
}

void SendActiveMessageThen(PeerHandle to, const Message& message, const OnSent& then) {
  auto later = std::make_unique<OnSent>(then);
  ucp_request_param_t param = ParamOf(message);
  param.op_attr_mask |= UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
  param.cb.send = &ReportSent;
  param.user_data = later.get();
  const ucs_status_ptr_t started = Send(to, message, param);
  if (UCS_PTR_IS_PTR(started)) {
    later.release();  // ReportSent owns it
    return;
  }
  then.call(then.self, PeerToStatus(UCS_PTR_STATUS(started), kSendCall));
}

absl::Status SendActiveMessageOwned(PeerHandle to, const Message& message, std::string data) {
  auto owned = std::make_unique<std::string>(std::move(data));
  Message with_data = message;
  with_data.data = owned->data();
  with_data.bytes = owned->size();
  ucp_request_param_t param = ParamOf(with_data);
  param.op_attr_mask |= UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
  param.cb.send = &DropData;
  param.user_data = owned.get();
  const ucs_status_ptr_t started = Send(to, with_data, param);
  if (UCS_PTR_IS_PTR(started)) {
    owned.release();  // DropData owns it
    return absl::OkStatus();
  }
  return PeerToStatus(UCS_PTR_STATUS(started), kSendCall);
}

Request ReceiveActiveMessage(const Worker& worker, void* data, void* to, size_t bytes,
                             const MappedMemory* registered) {
  ucp_request_param_t param;
  param.op_attr_mask = 0;
  if (registered != nullptr) {
    param.op_attr_mask = UCP_OP_ATTR_FIELD_MEMH;
    param.memh = registered->handle();
  }
  return Request(ucp_am_recv_data_nbx(worker.handle(), data, to, bytes, &param),
                 "ucp_am_recv_data_nbx");
}

void ReleaseArrival(const Worker& worker, void* data) {
  ucp_am_data_release(worker.handle(), data);
}

}  // namespace rdmalab::ucx
