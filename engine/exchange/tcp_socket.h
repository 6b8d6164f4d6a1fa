// TCP sockets for the control connection: listening, accepting, connecting, each with a deadline.
#ifndef RDMALAB_ENGINE_EXCHANGE_TCP_SOCKET_H_
#define RDMALAB_ENGINE_EXCHANGE_TCP_SOCKET_H_

#include "absl/status/statusor.h"
#include "engine/base/deadline.h"
#include "engine/base/file_descriptor.h"
#include "engine/exchange/address.h"

namespace rdmalab {

class TcpListener {
 public:
  // AlreadyExists, naming the port, when another process listens there; InvalidArgument when the
  // host has no address here.
  static absl::StatusOr<TcpListener> Create(const HostPort& address);

  // Where it listens, with the port that the kernel chose.
  const HostPort& address() const { return address_; }

  // Cancelled on a stop signal.
  absl::StatusOr<FileDescriptor> Accept(const Deadline& deadline);

 private:
  TcpListener(FileDescriptor socket, HostPort address)
      : socket_(std::move(socket)), address_(std::move(address)) {}

  FileDescriptor socket_;
  HostPort address_;
};

enum class WhenRefused {
  kTryAgain,  // the listener may not be there yet: until the deadline
  kGiveUp,    // the listener was there and told its address: its process is gone
};

// Unavailable when refused or unreachable, DeadlineExceeded when nobody answered.
absl::StatusOr<FileDescriptor> TcpConnect(const HostPort& address, WhenRefused when_refused,
                                          const Deadline& deadline);

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_EXCHANGE_TCP_SOCKET_H_
