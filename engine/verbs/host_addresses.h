// The IP addresses of this host and how a socket call takes one: librdmacm finds a device by them.
#ifndef RDMALAB_ENGINE_VERBS_HOST_ADDRESSES_H_
#define RDMALAB_ENGINE_VERBS_HOST_ADDRESSES_H_

#include <infiniband/verbs.h>
#include <sys/socket.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace rdmalab::verbs {

class SocketAddress {
 public:
  // InvalidArgument for anything but a numeric IPv4 or IPv6 address.
  static absl::StatusOr<SocketAddress> Of(const std::string& ip, uint16_t port);

  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage_); }

 private:
  SocketAddress() = default;

  sockaddr_storage storage_ = {};
};

// The address that a RoCE GID stands for ("10.77.0.1"); none of a link-local one, or one of
// InfiniBand.
std::optional<std::string> AddressOfGid(const ibv_gid& gid);

// Of the interfaces that are up, without loopback and link-local ones; the GID's own comes first.
std::vector<std::string> HostAddresses(const ibv_gid& gid);

}  // namespace rdmalab::verbs

#endif  // RDMALAB_ENGINE_VERBS_HOST_ADDRESSES_H_
