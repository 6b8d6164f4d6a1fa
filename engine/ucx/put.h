// The one-sided write, as thin as get.h, and the flush that tells when writes have arrived.
//
// A put is done when its source may be used again; only a flush says that the peer has the bytes.
#ifndef RDMALAB_ENGINE_UCX_PUT_H_
#define RDMALAB_ENGINE_UCX_PUT_H_

#include <ucp/api/ucp.h>

#include <cstddef>
#include <cstdint>

#include "engine/ucx/endpoint.h"
#include "engine/ucx/memory.h"
#include "engine/ucx/remote_key.h"
#include "engine/ucx/request.h"

namespace rdmalab::ucx {

struct PutArguments {
  const void* from;
  size_t bytes;
  uint64_t remote_address;
  const RemoteKey& key;
  const MappedMemory* registered = nullptr;  // of a range that holds all of `from`
};

// Starts a write of `bytes` to the peer; `from` stays valid and unchanged until a later flush is
// done. On an endpoint that has failed the request is born failed.
inline Request Put(const Endpoint& endpoint, const PutArguments& arguments) {
  constexpr const char* kCall = "ucp_put_nbx";
  if (endpoint.failed()) [[unlikely]] {
    return Request(UCS_STATUS_PTR(UCS_ERR_NOT_CONNECTED), kCall);
  }
  ucp_request_param_t param;
  param.op_attr_mask = 0;
  if (arguments.registered != nullptr) {
    param.op_attr_mask = UCP_OP_ATTR_FIELD_MEMH;
    param.memh = arguments.registered->handle();
  }
  return Request(ucp_put_nbx(endpoint.handle(), arguments.from, arguments.bytes,
                             arguments.remote_address, arguments.key.handle(), &param),
                 kCall);
}

// Done when all puts started before it have arrived at the peer.
inline Request StartFlush(const Endpoint& endpoint) {
  constexpr const char* kCall = "ucp_ep_flush_nbx";
  if (endpoint.failed()) [[unlikely]] {
    return Request(UCS_STATUS_PTR(UCS_ERR_NOT_CONNECTED), kCall);
  }
  ucp_request_param_t param;
  param.op_attr_mask = 0;
  return Request(ucp_ep_flush_nbx(endpoint.handle(), &param), kCall);
}

}  // namespace rdmalab::ucx

#endif  // RDMALAB_ENGINE_UCX_PUT_H_
