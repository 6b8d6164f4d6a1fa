// A queue pair's connection made by librdmacm: the owner listens at its device's address, the
// consumer resolves it and connects. The queue pair stays one of ours: librdmacm says what its
// states are to be, and tells when the peer or the device goes.
//
//   owner     ListenOn(device); address() and port() to the consumer;
//             Accept(pair, its queue pair's number) until it is true
//   consumer  ConnectTo(device, address, port, pair, deadline)
//   both      LookAlive() now and then
#ifndef RDMALAB_ENGINE_VERBS_MANAGED_CONNECTION_H_
#define RDMALAB_ENGINE_VERBS_MANAGED_CONNECTION_H_

#include <rdma/rdma_cma.h>

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/base/deadline.h"
#include "engine/verbs/connection_event.h"
#include "engine/verbs/device.h"
#include "engine/verbs/queue_pair.h"

namespace rdmalab::verbs {

class ManagedConnection {
 public:
  // At the device's own address, on a port that the kernel chooses. FailedPrecondition when no
  // address of this host belongs to the device's port.
  static absl::StatusOr<std::unique_ptr<ManagedConnection>> ListenOn(const Device& device);
  // Afterwards `pair` is ready to send. What EventToStatus says of whatever came in between.
  static absl::StatusOr<std::unique_ptr<ManagedConnection>> ConnectTo(const Device& device,
                                                                      const std::string& address,
                                                                      uint16_t port,
                                                                      QueuePair& pair,
                                                                      const Deadline& deadline);

  // The owner: one look at what has come, without waiting; true once the connection stands. From
  // the answer to a request on, `pair` is ready to send. Who asks for another queue pair than
  // `expected` is refused.
  absl::StatusOr<bool> Accept(QueuePair& pair, uint32_t expected);

  // An error when the peer has ended the connection, or the device is gone.
  absl::Status LookAlive() const;

  const std::string& address() const { return address_; }
  uint16_t port() const { return port_; }

 private:
  struct DestroyId {
    void operator()(rdma_cm_id* id) const { (void)rdma_destroy_id(id); }
  };
  using Id = std::unique_ptr<rdma_cm_id, DestroyId>;

  ManagedConnection(const Device& device, EventChannel channel)
      : device_(&device), channel_(std::move(channel)) {}

  static absl::StatusOr<std::unique_ptr<ManagedConnection>> Bind(const Device& device);
  absl::Status BindTo(const std::string& address);
  absl::Status Resolve(const std::string& address, uint16_t port, const Deadline& deadline);
  absl::Status Answer(rdma_cm_id* id, const rdma_conn_param& asked, QueuePair& pair);
  rdma_conn_param Parameters(const QueuePair& pair) const;
  // "10.77.0.2:4711 from rxe0", for messages.
  std::string ToString() const;

  const Device* device_;
  EventChannel channel_;  // before its ids, so that it is destroyed after them
  Id id_;                 // the one that listens, or the connection itself
  Id accepted_;
  bool stands_ = false;
  std::string address_;
  uint16_t port_ = 0;
  std::string object_;
};

}  // namespace rdmalab::verbs

#endif  // RDMALAB_ENGINE_VERBS_MANAGED_CONNECTION_H_
