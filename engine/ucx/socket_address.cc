#include "engine/ucx/socket_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <cstring>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "engine/base/status.h"

namespace rdmalab::ucx {
namespace {

constexpr char kMark[] = "ucx-listener ";
constexpr uint32_t kLargestPort = 65535;

}  // namespace

absl::StatusOr<SocketAddress> SocketAddress::Parse(absl::string_view ip, uint16_t port) {
  const std::string text(ip);
  sockaddr_storage storage = {};
  sockaddr_in v4 = {};
  sockaddr_in6 v6 = {};
  if (inet_pton(AF_INET, text.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    std::memcpy(&storage, &v4, sizeof(v4));
    return SocketAddress(text, port, storage, sizeof(v4));
  }
  if (inet_pton(AF_INET6, text.c_str(), &v6.sin6_addr) == 1) {
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(port);
    std::memcpy(&storage, &v6, sizeof(v6));
    return SocketAddress(text, port, storage, sizeof(v6));
  }
  return absl::InvalidArgumentError(absl::StrCat("'", text, "' is no numeric IP address"));
}

bool SocketAddress::IsText(absl::string_view text) { return absl::StartsWith(text, kMark); }

absl::StatusOr<SocketAddress> SocketAddress::FromText(absl::string_view text) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, ' ');
  uint32_t port = 0;
  if (!IsText(text) || parts.size() != 3 || !absl::SimpleAtoi(parts[2], &port) || port == 0 ||
      port > kLargestPort) {
    return absl::InvalidArgumentError(absl::StrCat("'", text, "' is no listener's address"));
  }
  return Parse(parts[1], static_cast<uint16_t>(port));
}

absl::StatusOr<SocketAddress> SocketAddress::WithPortOf(const sockaddr_storage& other) const {
  sockaddr_in v4 = {};
  sockaddr_in6 v6 = {};
  std::memcpy(&v4, &other, sizeof(v4));
  std::memcpy(&v6, &other, sizeof(v6));
  return Parse(ip_, ntohs(other.ss_family == AF_INET6 ? v6.sin6_port : v4.sin_port));
}

std::string SocketAddress::Text() const { return absl::StrCat(kMark, ip_, " ", port_); }

ucs_sock_addr_t SocketAddress::ucs() const {
  return {.addr = static_cast<const sockaddr*>(static_cast<const void*>(&storage_)),
          .addrlen = length_};
}

}  // namespace rdmalab::ucx
