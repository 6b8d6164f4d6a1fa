#include "engine/ucx/endpoint.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/base/clock.h"
#include "engine/base/deadline.h"
#include "engine/base/status.h"
#include "engine/ucx/socket_address.h"
#include "engine/ucx/status.h"

namespace rdmalab::ucx {
namespace {

// A forced close completes what is pending at once; this only bounds a defect.
constexpr absl::Duration kForcedCloseLimit = absl::Seconds(10);
// An operation without error handling (shared memory) ends by itself within milliseconds, or never.
constexpr absl::Duration kLastGrace = absl::Seconds(2);
// In a destructor on shared memory: a live peer answers a flush at once, a dead one never.
constexpr absl::Duration kQuietClose = absl::Milliseconds(200);
// No worker address is shorter: it starts with a header and an identifier of eight bytes.
constexpr size_t kSmallestAddress = 9;
constexpr const char* kFlushCall = "ucp_ep_flush_nbx";
constexpr const char* kCloseCall = "ucp_ep_close_nbx";
constexpr unsigned kMostTransports = 32;

Patience TeardownPatience(absl::Duration limit) {
  return Patience(Deadline::After(Clock::MonotonicRaw(), limit), {.heed_stop_signal = false});
}

}  // namespace

void Endpoint::OnError(void* state, ucp_ep_h /*endpoint*/, ucs_status_t status) {
  State& failed = *static_cast<State*>(state);
  if (failed.failure == UCS_OK) failed.failure = status;
}

absl::StatusOr<Endpoint> Endpoint::Create(const Worker& worker, absl::string_view address,
                                          const EndpointOptions& options) {
  ucp_ep_params_t params = {};
  if (SocketAddress::IsText(address)) {
    ASSIGN_OR_RETURN(const SocketAddress listener, SocketAddress::FromText(address));
    params.field_mask = UCP_EP_PARAM_FIELD_SOCK_ADDR | UCP_EP_PARAM_FIELD_FLAGS;
    params.flags = UCP_EP_PARAMS_FLAGS_CLIENT_SERVER;
    params.sockaddr = listener.ucs();
    return Make(worker, params, options);
  }
  if (address.size() < kSmallestAddress) {
    return absl::InvalidArgumentError(
        absl::StrCat("ucp_ep_create: a worker address of ", address.size(), " bytes is none"));
  }
  params.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS;
  params.address = static_cast<const ucp_address_t*>(static_cast<const void*>(address.data()));
  return Make(worker, params, options);
}

absl::StatusOr<Endpoint> Endpoint::Accept(const Worker& worker, ucp_conn_request_h request,
                                          const EndpointOptions& options) {
  ucp_ep_params_t params = {};
  params.field_mask = UCP_EP_PARAM_FIELD_CONN_REQUEST;
  params.conn_request = request;
  return Make(worker, params, options);
}

absl::StatusOr<Endpoint> Endpoint::Make(const Worker& worker, ucp_ep_params_t params,
                                        const EndpointOptions& options) {
  auto state = std::make_unique<State>();
  state->worker = worker.handle();
  state->error_handling = options.error_handling;
  const bool peer = options.error_handling == ErrorHandling::kPeer;
  params.field_mask |= UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE | UCP_EP_PARAM_FIELD_ERR_HANDLER;
  params.err_mode = peer ? UCP_ERR_HANDLING_MODE_PEER : UCP_ERR_HANDLING_MODE_NONE;
  params.err_handler = {.cb = &Endpoint::OnError, .arg = state.get()};
  const ucs_status_t created = ucp_ep_create(state->worker, &params, &state->handle);
  const char* handling = peer ? "error handling peer" : "error handling none";
  if (created == UCS_ERR_UNREACHABLE) {
    // No peer was lost: the two sides have no transport in common.
    return absl::FailedPreconditionError(
        absl::StrCat("ucp_ep_create(", handling, "): ", ucs_status_string(created),
                     "; no transport of the lane leads from here to the peer: compare UCX_TLS and "
                     "UCX_NET_DEVICES of both sides"));
  }
  RETURN_IF_ERROR(ToStatus(created, "ucp_ep_create", handling));
  return Endpoint(std::move(state));
}

Endpoint::~Endpoint() {
  if (state_ == nullptr || state_->handle == nullptr) return;
  if (error_handling() == ErrorHandling::kPeer) {
    (void)ForceClose();
    return;
  }
  Patience patience = TeardownPatience(kQuietClose);
  (void)CloseHandle(/*flags=*/0, patience);
}

absl::Status Endpoint::failure() const {
  if (state_->failure != UCS_OK) return PeerToStatus(state_->failure, "endpoint");
  if (state_->handle == nullptr) return absl::UnavailableError("endpoint: closed");
  return absl::OkStatus();
}

absl::Status Endpoint::Flush(Patience& patience) {
  RETURN_IF_ERROR(failure());
  ucp_request_param_t param;
  param.op_attr_mask = 0;
  Request flush(ucp_ep_flush_nbx(state_->handle, &param), kFlushCall);
  if (flush.Wait(state_->worker, patience)) return flush.status();
  // Nobody's memory depends on a flush, so it needs no grace.
  state_->failure = UCS_ERR_CANCELED;
  if (error_handling() == ErrorHandling::kPeer) (void)ForceClose();
  if (!flush.Done()) flush.Forget();
  return WithContext(patience.verdict(), kFlushCall);
}

absl::Status Endpoint::FinishAll(absl::Span<Request> requests, Patience& patience) {
  absl::Status first;
  for (Request& request : requests) {
    while (!request.Done()) {
      ucp_worker_progress(state_->worker);
      if (!patience.Spin()) return GiveUp(requests, patience.verdict());
    }
    if (first.ok() && request.outcome() != UCS_OK) first = request.status();
  }
  return first;
}

// Every request completes before this returns, or the status says that one did not.
absl::Status Endpoint::GiveUp(absl::Span<Request> requests, const absl::Status& why) {
  const bool peer = error_handling() == ErrorHandling::kPeer;
  if (state_->failure == UCS_OK) state_->failure = UCS_ERR_CANCELED;
  if (peer && state_->handle != nullptr) (void)ForceClose();
  Patience last = TeardownPatience(peer ? kForcedCloseLimit : kLastGrace);
  int pending = 0;
  for (Request& request : requests) {
    if (!request.Wait(state_->worker, last)) ++pending;
  }
  const absl::Status failed = WithContext(why, requests.front().call());
  if (pending == 0) return failed;
  return absl::Status(
      failed.code(),
      absl::StrCat(failed.message(), "; ", pending,
                   " operations did not even complete after that: their memory stays mapped until "
                   "this process ends"));
}

absl::Status Endpoint::ForceClose() {
  if (state_->handle == nullptr) return absl::OkStatus();
  if (error_handling() != ErrorHandling::kPeer) {
    return absl::FailedPreconditionError(
        "ucp_ep_close_nbx(force): needs an endpoint with error handling peer");
  }
  Patience patience = TeardownPatience(kForcedCloseLimit);
  if (CloseHandle(UCP_EP_CLOSE_FLAG_FORCE, patience)) return absl::OkStatus();
  return absl::InternalError("ucp_ep_close_nbx(force): did not complete");
}

absl::Status Endpoint::Close(Patience& patience) {
  if (state_->handle == nullptr) return absl::OkStatus();
  // After a failure there is nobody to flush to.
  if (failed() && error_handling() == ErrorHandling::kPeer) return ForceClose();
  if (CloseHandle(/*flags=*/0, patience)) return absl::OkStatus();
  return WithContext(patience.verdict(), kCloseCall);
}

// UCX frees the endpoint when the close request completes; the handle is dead from the call on.
bool Endpoint::CloseHandle(unsigned flags, Patience& patience) {
  ucp_request_param_t param;
  param.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
  param.flags = flags;
  Request close(ucp_ep_close_nbx(std::exchange(state_->handle, nullptr), &param), kCloseCall);
  if (close.Wait(state_->worker, patience)) return true;
  close.Forget();
  return false;
}

absl::StatusOr<std::vector<std::string>> Endpoint::Transports() const {
  RETURN_IF_ERROR(failure());
  ucp_transport_entry_t entries[kMostTransports];
  ucp_ep_attr_t attributes = {};
  attributes.field_mask = UCP_EP_ATTR_FIELD_TRANSPORTS;
  attributes.transports.entries = entries;
  attributes.transports.num_entries = kMostTransports;
  attributes.transports.entry_size = sizeof(entries[0]);
  RETURN_IF_ERROR(
      ToStatus(ucp_ep_query(state_->handle, &attributes), "ucp_ep_query", "transports"));
  std::vector<std::string> names;
  for (unsigned i = 0; i < attributes.transports.num_entries; ++i) {
    names.push_back(absl::StrCat(entries[i].transport_name, "/", entries[i].device_name));
  }
  return names;
}

}  // namespace rdmalab::ucx
