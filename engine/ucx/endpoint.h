// A connection from a worker to a peer's worker, made from the peer's worker address, or through a
// connection manager from the address of its Listener.
//
// Error handling is the lane's: kPeer on tcp and rc (a lost peer is reported, a forced close ends
// what is pending), kNone on shm, whose transports know no peer failure. An endpoint that has
// failed is never used again: every operation on it is refused, and the caller makes a fresh one.
//
// An owner does not need an endpoint to answer, but with one of its own to each consumer (kPeer) it
// is told at once when that consumer is gone: failed() turns true, and it closes by force.
#ifndef RDMALAB_ENGINE_UCX_ENDPOINT_H_
#define RDMALAB_ENGINE_UCX_ENDPOINT_H_

#include <ucp/api/ucp.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "engine/ucx/patience.h"
#include "engine/ucx/request.h"
#include "engine/ucx/worker.h"

namespace rdmalab::ucx {

enum class ErrorHandling { kNone, kPeer };

// Where a message may be sent: an Endpoint's own handle, or the reply handle of an arrival. Not an
// owner; the reply handle is valid while the peer's connection is.
struct PeerHandle {
  ucp_ep_h endpoint = nullptr;
  explicit operator bool() const { return endpoint != nullptr; }
};

struct EndpointOptions {
  ErrorHandling error_handling = ErrorHandling::kNone;
};

class Endpoint {
 public:
  // Returns at once; the connection is made by progress. `address` is what the peer's
  // Worker::Address or Listener::address gave; an empty or very short one is refused here, but UCX
  // trusts the rest of it. FailedPrecondition when no transport leads there (shared memory with
  // kPeer, a device that does not route). `worker` outlives the endpoint.
  static absl::StatusOr<Endpoint> Create(const Worker& worker, absl::string_view address,
                                         const EndpointOptions& options);
  // The other end of a connection that a Listener was asked for.
  static absl::StatusOr<Endpoint> Accept(const Worker& worker, ucp_conn_request_h request,
                                         const EndpointOptions& options);
  // Closes by force (kPeer), or by a flush within a short time (kNone), if nobody has closed it
  // before.
  ~Endpoint();
  Endpoint(Endpoint&&) noexcept = default;
  Endpoint& operator=(Endpoint&&) = delete;

  ucp_ep_h handle() const { return state_->handle; }
  PeerHandle peer() const { return {state_->handle}; }
  ErrorHandling error_handling() const { return state_->error_handling; }

  // True once the peer was reported lost, a forced close was made, or it was closed.
  bool failed() const { return state_->failure != UCS_OK || state_->handle == nullptr; }
  // Why it failed; OK while it has not.
  absl::Status failure() const;

  // Waits until all that was sent has arrived. On a fresh endpoint it connects the transports. On
  // tcp that is not the whole wire-up: the first GET still exchanges a message with the peer
  // (0.5 ms), unless an active message with want_reply was answered before it.
  absl::Status Flush(Patience& patience);

  // Waits for an operation on this endpoint. When patience ends first, or the peer is lost: closes
  // the endpoint by force, waits until the operation has completed, and only then returns why; the
  // buffers are then free again, the endpoint has failed. With kNone an operation cannot be
  // cancelled: it gets kLastGrace more, and if it is pending even then the status says that its
  // memory may not be unmapped (see request.h).
  absl::Status Finish(Request& request, Patience& patience) {
    while (!request.Done()) {
      ucp_worker_progress(state_->worker);
      if (!patience.Spin()) return GiveUp({&request, 1}, patience.verdict());
    }
    return request.outcome() == UCS_OK ? absl::OkStatus() : request.status();
  }

  // The same for several operations in flight: all are done when it returns; the first failure in
  // order is the status.
  absl::Status FinishAll(absl::Span<Request> requests, Patience& patience);

  // Ends what is in flight as cancelled, tells the peer nothing, and waits for the close itself.
  // kPeer only: FailedPrecondition otherwise.
  absl::Status ForceClose();

  // Flushes, then closes; by force when patience ends first.
  absl::Status Close(Patience& patience);

  // Transport and device of each lane, e.g. {"tcp/lo"}; known as soon as the endpoint exists.
  absl::StatusOr<std::vector<std::string>> Transports() const;

 private:
  // On the heap, because UCX's error callback keeps its address.
  struct State {
    ucp_worker_h worker;
    ErrorHandling error_handling;
    ucp_ep_h handle = nullptr;
    ucs_status_t failure = UCS_OK;
  };

  explicit Endpoint(std::unique_ptr<State> state) : state_(std::move(state)) {}

  // `params` says whom to connect to.
  static absl::StatusOr<Endpoint> Make(const Worker& worker, ucp_ep_params_t params,
                                       const EndpointOptions& options);
  static void OnError(void* state, ucp_ep_h endpoint, ucs_status_t status);
  absl::Status GiveUp(absl::Span<Request> requests, const absl::Status& why);
  bool CloseHandle(unsigned flags, Patience& patience);

  std::unique_ptr<State> state_;
};

}  // namespace rdmalab::ucx

#endif  // RDMALAB_ENGINE_UCX_ENDPOINT_H_
