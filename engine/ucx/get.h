// The one-sided read, as thin as UCX allows: nothing is added to what ucx_perftest does per
// operation.
//
//   ucx::Request get = ucx::Get(endpoint, {.to = buffer, .bytes = n, .remote_address = a, .key =
//   key}); absl::Status done = endpoint.Finish(get, patience);   // a deadline closes the endpoint,
//   then waits for the request
//
// Several may be in flight on one endpoint (pieces of an overlapped copy): Endpoint::FinishAll
// waits for all.
#ifndef RDMALAB_ENGINE_UCX_GET_H_
#define RDMALAB_ENGINE_UCX_GET_H_

#include <ucp/api/ucp.h>

#include <cstddef>
#include <cstdint>

#include "engine/ucx/endpoint.h"
#include "engine/ucx/memory.h"
#include "engine/ucx/remote_key.h"
#include "engine/ucx/request.h"

namespace rdmalab::ucx {

struct GetArguments {
  void* to;
  size_t bytes;
  uint64_t remote_address;
  const RemoteKey& key;
  // The registration of a range that holds all of `to`; without one UCX registers through its own
  // cache.
  const MappedMemory* registered = nullptr;
};

// Starts a read of `bytes` from the peer into `to`; both stay valid until the request is done. On
// an endpoint that has failed the request is born failed.
inline Request Get(const Endpoint& endpoint, const GetArguments& arguments) {
  constexpr const char* kCall = "ucp_get_nbx";
  if (endpoint.failed()) [[unlikely]] {
    return Request(UCS_STATUS_PTR(UCS_ERR_NOT_CONNECTED), kCall);
  }
  ucp_request_param_t param;
  param.op_attr_mask = 0;
  if (arguments.registered != nullptr) {
    param.op_attr_mask = UCP_OP_ATTR_FIELD_MEMH;
    param.memh = arguments.registered->handle();
  }
  return Request(ucp_get_nbx(endpoint.handle(), arguments.to, arguments.bytes,
                             arguments.remote_address, arguments.key.handle(), &param),
                 kCall);
}

}  // namespace rdmalab::ucx

#endif  // RDMALAB_ENGINE_UCX_GET_H_
