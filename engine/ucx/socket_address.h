// An IP address and port as UCX takes them, and as one side tells them to the other: a text that
// no worker address can be mistaken for ("ucx-listener 10.0.0.1 40123").
#ifndef RDMALAB_ENGINE_UCX_SOCKET_ADDRESS_H_
#define RDMALAB_ENGINE_UCX_SOCKET_ADDRESS_H_

#include <sys/socket.h>
#include <ucs/config/types.h>

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace rdmalab::ucx {

class SocketAddress {
 public:
  // InvalidArgument for anything but a numeric IPv4 or IPv6 address.
  static absl::StatusOr<SocketAddress> Parse(absl::string_view ip, uint16_t port);

  // True for what Text() gave; FromText then takes it.
  static bool IsText(absl::string_view text);
  static absl::StatusOr<SocketAddress> FromText(absl::string_view text);

  // The same IP with the port that `other` has: a listener on port 0 learns its own.
  absl::StatusOr<SocketAddress> WithPortOf(const sockaddr_storage& other) const;

  std::string Text() const;
  ucs_sock_addr_t ucs() const;

 private:
  SocketAddress(std::string ip, uint16_t port, const sockaddr_storage& storage, socklen_t length)
      : ip_(std::move(ip)), port_(port), storage_(storage), length_(length) {}

  std::string ip_;
  uint16_t port_;
  sockaddr_storage storage_;
  socklen_t length_;
};

}  // namespace rdmalab::ucx

#endif  // RDMALAB_ENGINE_UCX_SOCKET_ADDRESS_H_
