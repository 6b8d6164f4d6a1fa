#include "engine/ucx/worker.h"

#include "engine/base/status.h"
#include "engine/ucx/status.h"

namespace rdmalab::ucx {

absl::StatusOr<Worker> Worker::Create(const Context& context, const WorkerOptions& options) {
  const bool serialized = options.threads == Threads::kSerialized;
  ucp_worker_params_t params = {};
  params.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
  params.thread_mode = serialized ? UCS_THREAD_MODE_SERIALIZED : UCS_THREAD_MODE_SINGLE;
  ucp_worker_h raw = nullptr;
  RETURN_IF_ERROR(ToStatus(ucp_worker_create(context.handle(), &params, &raw), "ucp_worker_create",
                           serialized ? "one thread at a time" : "single thread"));
  return Worker(Handle(raw));
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

}  // namespace rdmalab::ucx
