#include "engine/ucx/worker.h"

#include "engine/base/status.h"
#include "engine/ucx/status.h"

namespace rdmalab::ucx {

absl::StatusOr<Worker> Worker::Create(const Context& context, const WorkerOptions& options) {
  const bool multi = options.threads == Threads::kMulti;
  ucp_worker_params_t params = {};
  params.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
  params.thread_mode = multi ? UCS_THREAD_MODE_MULTI : UCS_THREAD_MODE_SINGLE;
  ucp_worker_h raw = nullptr;
  RETURN_IF_ERROR(ToStatus(ucp_worker_create(context.handle(), &params, &raw), "ucp_worker_create",
                           multi ? "multi-threaded" : "single thread"));
  Handle handle(raw);
  ucp_worker_attr_t attributes = {};
  attributes.field_mask = UCP_WORKER_ATTR_FIELD_THREAD_MODE | UCP_WORKER_ATTR_FIELD_MAX_AM_HEADER;
  RETURN_IF_ERROR(ToStatus(ucp_worker_query(raw, &attributes), "ucp_worker_query"));
  if (multi && attributes.thread_mode != UCS_THREAD_MODE_MULTI) {
    return absl::UnimplementedError(
        "ucp_worker_create(multi-threaded): this UCX was built without thread support; use one "
        "built with --enable-mt, or progress: inline");
  }
  return Worker(std::move(handle), context.wakeup(), attributes.max_am_header);
}

absl::StatusOr<std::string> Worker::Address() const {
  ucp_worker_attr_t attributes = {};
  attributes.field_mask = UCP_WORKER_ATTR_FIELD_ADDRESS;
  RETURN_IF_ERROR(ToStatus(ucp_worker_query(handle(), &attributes), "ucp_worker_query", "address"));
  std::string address(static_cast<const char*>(static_cast<const void*>(attributes.address)),
                      attributes.address_length);
  ucp_worker_release_address(handle(), attributes.address);
  return address;
}

absl::StatusOr<int> Worker::EventFd() const {
  if (!wakeup_) {
    return absl::InternalError("ucp_worker_get_efd: the context was made without wakeup");
  }
  int fd = -1;
  RETURN_IF_ERROR(ToStatus(ucp_worker_get_efd(handle(), &fd), "ucp_worker_get_efd"));
  return fd;
}

absl::StatusOr<bool> Worker::Arm() const {
  const ucs_status_t status = ucp_worker_arm(handle());
  if (status == UCS_ERR_BUSY) return false;
  RETURN_IF_ERROR(ToStatus(status, "ucp_worker_arm"));
  return true;
}

absl::Status Worker::Signal() const {
  return ToStatus(ucp_worker_signal(handle()), "ucp_worker_signal");
}

}  // namespace rdmalab::ucx
