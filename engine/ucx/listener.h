// Wire-up through a connection manager (rdmacm, or tcp's own): the owner listens, the consumer's
// endpoint connects to its socket address instead of a worker address. For lanes on which no
// datagram transport can carry the wire-up.
//
// Endpoint::Create takes address() as it takes a worker's. A connection is accepted while the
// worker is progressed; the accepted endpoints live here, because the owner only answers.
#ifndef RDMALAB_ENGINE_UCX_LISTENER_H_
#define RDMALAB_ENGINE_UCX_LISTENER_H_

#include <ucp/api/ucp.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "engine/ucx/endpoint.h"
#include "engine/ucx/worker.h"

namespace rdmalab::ucx {

class Listener {
 public:
  // Listens on a numeric address, port chosen by the kernel. `worker` outlives the listener.
  // FailedPrecondition when no connection manager of the lane can listen there.
  static absl::StatusOr<Listener> Create(const Worker& worker, absl::string_view ip,
                                         const EndpointOptions& options);

  // What the peer's Endpoint::Create takes.
  const std::string& address() const { return address_; }

  // Connections accepted so far, and why the last one that could not be was refused.
  size_t accepted() const { return state_->endpoints.size(); }
  const absl::Status& last_refusal() const { return state_->refusal; }

 private:
  // On the heap, because UCX's callback keeps its address.
  struct State {
    const Worker* worker;
    EndpointOptions options;
    std::vector<Endpoint> endpoints;
    absl::Status refusal;
  };
  struct Deleter {
    void operator()(ucp_listener_h listener) const { ucp_listener_destroy(listener); }
  };

  Listener() = default;
  static void OnConnection(ucp_conn_request_h request, void* state);

  std::unique_ptr<State> state_;
  std::unique_ptr<ucp_listener, Deleter> handle_;
  std::string address_;
};

}  // namespace rdmalab::ucx

#endif  // RDMALAB_ENGINE_UCX_LISTENER_H_
