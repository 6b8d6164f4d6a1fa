#include "engine/ucx/listener.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/base/status.h"
#include "engine/ucx/socket_address.h"
#include "engine/ucx/status.h"

namespace rdmalab::ucx {

void Listener::OnConnection(ucp_conn_request_h request, void* state) {
  State& listening = *static_cast<State*>(state);
  absl::StatusOr<Endpoint> endpoint =
      Endpoint::Accept(*listening.worker, request, listening.options);
  if (endpoint.ok()) {
    listening.endpoints.push_back(*std::move(endpoint));
  } else {
    listening.refusal = endpoint.status();
  }
}

absl::StatusOr<Listener> Listener::Create(const Worker& worker, absl::string_view ip,
                                          const EndpointOptions& options) {
  ASSIGN_OR_RETURN(const SocketAddress any_port, SocketAddress::Parse(ip, /*port=*/0));
  Listener listener;
  listener.state_ = std::make_unique<State>(
      State{.worker = &worker, .options = options, .endpoints = {}, .refusal = {}});
  ucp_listener_params_t params = {};
  params.field_mask = UCP_LISTENER_PARAM_FIELD_SOCK_ADDR | UCP_LISTENER_PARAM_FIELD_CONN_HANDLER;
  params.sockaddr = any_port.ucs();
  params.conn_handler = {.cb = &Listener::OnConnection, .arg = listener.state_.get()};
  ucp_listener_h handle = nullptr;
  const ucs_status_t created = ucp_listener_create(worker.handle(), &params, &handle);
  if (created == UCS_ERR_UNSUPPORTED || created == UCS_ERR_UNREACHABLE ||
      created == UCS_ERR_INVALID_ADDR || created == UCS_ERR_NO_DEVICE) {
    return absl::FailedPreconditionError(
        absl::StrCat("ucp_listener_create(", ip, "): ", ucs_status_string(created),
                     "; no connection manager of the lane can listen there"));
  }
  RETURN_IF_ERROR(ToStatus(created, "ucp_listener_create", ip));
  listener.handle_.reset(handle);
  ucp_listener_attr_t attributes = {};
  attributes.field_mask = UCP_LISTENER_ATTR_FIELD_SOCKADDR;
  RETURN_IF_ERROR(ToStatus(ucp_listener_query(handle, &attributes), "ucp_listener_query", ip));
  ASSIGN_OR_RETURN(const SocketAddress chosen, any_port.WithPortOf(attributes.sockaddr));
  listener.address_ = chosen.Text();
  return listener;
}

}  // namespace rdmalab::ucx
