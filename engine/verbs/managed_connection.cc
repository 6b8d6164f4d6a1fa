#include "engine/verbs/managed_connection.h"

#include <netinet/in.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/base/status.h"
#include "engine/verbs/host_addresses.h"
#include "engine/verbs/status.h"

namespace rdmalab::verbs {
namespace {

constexpr int kLargestByte = 255;
constexpr int kLongestResolveMs = 10'000;

absl::Status Failed(const char* call, const std::string& object) {
  return ErrnoToStatus(errno == 0 ? EIO : errno, call, object);
}

uint8_t AsByte(int count) { return static_cast<uint8_t>(std::clamp(count, 0, kLargestByte)); }

// The states that librdmacm knows for a queue pair of ours.
absl::StatusOr<ManagedStates> StatesOf(rdma_cm_id* id, const std::string& object) {
  ManagedStates states;
  states.receive.qp_state = IBV_QPS_RTR;
  if (rdma_init_qp_attr(id, &states.receive, &states.receive_mask) != 0) {
    return Failed("rdma_init_qp_attr", absl::StrCat("RTR for ", object));
  }
  states.send.qp_state = IBV_QPS_RTS;
  if (rdma_init_qp_attr(id, &states.send, &states.send_mask) != 0) {
    return Failed("rdma_init_qp_attr", absl::StrCat("RTS for ", object));
  }
  return states;
}

}  // namespace

std::string ManagedConnection::ToString() const {
  return absl::StrCat(address_, ":", port_, " on ", device_->name());
}

absl::Status ManagedConnection::BindTo(const std::string& address) {
  ASSIGN_OR_RETURN(SocketAddress bound, SocketAddress::Of(address, 0));
  rdma_cm_id* made = nullptr;
  errno = 0;
  if (rdma_create_id(channel_.handle(), &made, nullptr, RDMA_PS_TCP) != 0) {
    return Failed("rdma_create_id", device_->name());
  }
  Id id(made);
  if (rdma_bind_addr(id.get(), bound.get()) != 0) return Failed("rdma_bind_addr", address);
  const bool ours = id->verbs != nullptr && device_->name() == id->verbs->device->name &&
                    id->port_num == device_->port();
  if (!ours) return absl::NotFoundError(absl::StrCat(address, " belongs to another device"));
  id_ = std::move(id);
  address_ = address;
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<ManagedConnection>> ManagedConnection::Bind(const Device& device) {
  ASSIGN_OR_RETURN(EventChannel channel, EventChannel::Create());
  std::unique_ptr<ManagedConnection> connection(new ManagedConnection(device, std::move(channel)));
  const std::vector<std::string> addresses = HostAddresses(device.gid());
  for (const std::string& address : addresses) {
    if (connection->BindTo(address).ok()) return connection;
  }
  return absl::FailedPreconditionError(
      absl::StrCat("rdma_bind_addr: no address of this host (", absl::StrJoin(addresses, ", "),
                   ") belongs to ", device.name(), ":", static_cast<int>(device.port()),
                   "; give its network interface one (ip addr add), or connect by exchange"));
}

absl::StatusOr<std::unique_ptr<ManagedConnection>> ManagedConnection::ListenOn(
    const Device& device) {
  ASSIGN_OR_RETURN(std::unique_ptr<ManagedConnection> connection, Bind(device));
  errno = 0;
  if (rdma_listen(connection->id_.get(), 1) != 0) {
    return Failed("rdma_listen", connection->address_);
  }
  connection->port_ = ntohs(rdma_get_src_port(connection->id_.get()));
  return connection;
}

absl::StatusOr<std::unique_ptr<ManagedConnection>> ManagedConnection::ConnectTo(
    const Device& device, const std::string& address, uint16_t port, QueuePair& pair,
    const Deadline& deadline) {
  ASSIGN_OR_RETURN(std::unique_ptr<ManagedConnection> connection, Bind(device));
  RETURN_IF_ERROR(connection->Resolve(address, port, deadline));
  rdma_conn_param parameters = connection->Parameters(pair);
  rdma_cm_id* const id = connection->id_.get();
  const std::string object = connection->ToString();
  errno = 0;
  if (rdma_connect(id, &parameters) != 0) return Failed("rdma_connect", object);
  ASSIGN_OR_RETURN(const Event answered,
                   connection->channel_.Wait(RDMA_CM_EVENT_CONNECT_RESPONSE, object, deadline));
  ASSIGN_OR_RETURN(const ManagedStates states, StatesOf(id, object));
  RETURN_IF_ERROR(pair.Connect(states));
  if (rdma_establish(id) != 0) return Failed("rdma_establish", object);
  connection->stands_ = true;
  return connection;
}

absl::Status ManagedConnection::Resolve(const std::string& address, uint16_t port,
                                        const Deadline& deadline) {
  ASSIGN_OR_RETURN(SocketAddress peer, SocketAddress::Of(address, port));
  address_ = address;
  port_ = port;
  const int patience_ms = std::min(kLongestResolveMs, deadline.RemainingPollMs());
  errno = 0;
  if (rdma_resolve_addr(id_.get(), nullptr, peer.get(), patience_ms) != 0) {
    return Failed("rdma_resolve_addr", ToString());
  }
  RETURN_IF_ERROR(channel_.Wait(RDMA_CM_EVENT_ADDR_RESOLVED, ToString(), deadline).status());
  if (rdma_resolve_route(id_.get(), patience_ms) != 0) {
    return Failed("rdma_resolve_route", ToString());
  }
  return channel_.Wait(RDMA_CM_EVENT_ROUTE_RESOLVED, ToString(), deadline).status();
}

rdma_conn_param ManagedConnection::Parameters(const QueuePair& pair) const {
  rdma_conn_param parameters = {};
  parameters.responder_resources = AsByte(device_->max_answered_reads());
  parameters.initiator_depth = AsByte(device_->max_initiated_reads());
  parameters.retry_count = QueuePair::kRetries;
  parameters.rnr_retry_count = QueuePair::kRetryForEver;
  parameters.qp_num = pair.address().number;
  return parameters;
}

absl::StatusOr<bool> ManagedConnection::Accept(QueuePair& pair, uint32_t expected) {
  if (stands_) return true;
  ASSIGN_OR_RETURN(const Event event, channel_.Poll());
  if (event == nullptr) return false;
  if (event->event == RDMA_CM_EVENT_CONNECT_REQUEST) {
    Id asking(event->id);
    if (accepted_ != nullptr || event->param.conn.qp_num != expected) {
      (void)rdma_reject(asking.get(), nullptr, 0);
      return false;
    }
    RETURN_IF_ERROR(Answer(asking.get(), event->param.conn, pair));
    accepted_ = std::move(asking);
    return false;
  }
  stands_ = event->event == RDMA_CM_EVENT_ESTABLISHED;
  if (stands_) return true;
  return EventToStatus(event->event, event->status, ToString());
}

absl::Status ManagedConnection::Answer(rdma_cm_id* id, const rdma_conn_param& asked,
                                       QueuePair& pair) {
  ASSIGN_OR_RETURN(const ManagedStates states, StatesOf(id, ToString()));
  RETURN_IF_ERROR(pair.Connect(states));
  rdma_conn_param parameters = Parameters(pair);
  parameters.responder_resources =
      std::min(parameters.responder_resources, asked.responder_resources);
  parameters.initiator_depth = std::min(parameters.initiator_depth, asked.initiator_depth);
  errno = 0;
  return rdma_accept(id, &parameters) == 0 ? absl::OkStatus() : Failed("rdma_accept", ToString());
}

absl::Status ManagedConnection::LookAlive() const {
  ASSIGN_OR_RETURN(const Event event, channel_.Poll());
  if (event == nullptr) return absl::OkStatus();
  return EventToStatus(event->event, event->status, ToString());
}

}  // namespace rdmalab::verbs
