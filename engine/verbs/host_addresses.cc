#include "engine/verbs/host_addresses.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "absl/strings/str_cat.h"

namespace rdmalab::verbs {
namespace {

struct FreeInterfaces {
  void operator()(ifaddrs* first) const { freeifaddrs(first); }
};
using Interfaces = std::unique_ptr<ifaddrs, FreeInterfaces>;

std::string TextOf(int family, const void* address) {
  std::array<char, INET6_ADDRSTRLEN> text = {};
  return inet_ntop(family, address, text.data(), text.size()) == nullptr ? "" : text.data();
}

// "" for what no peer can be told.
std::string TextOf(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    return TextOf(AF_INET, &reinterpret_cast<const sockaddr_in&>(address).sin_addr);
  }
  if (address.sa_family != AF_INET6) return "";
  const in6_addr& six = reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
  return IN6_IS_ADDR_LINKLOCAL(&six) ? "" : TextOf(AF_INET6, &six);
}

}  // namespace

absl::StatusOr<SocketAddress> SocketAddress::Of(const std::string& ip, uint16_t port) {
  SocketAddress made;
  auto& four = reinterpret_cast<sockaddr_in&>(made.storage_);
  if (inet_pton(AF_INET, ip.c_str(), &four.sin_addr) == 1) {
    four.sin_family = AF_INET;
    four.sin_port = htons(port);
    return made;
  }
  auto& six = reinterpret_cast<sockaddr_in6&>(made.storage_);
  if (inet_pton(AF_INET6, ip.c_str(), &six.sin6_addr) == 1) {
    six.sin6_family = AF_INET6;
    six.sin6_port = htons(port);
    return made;
  }
  return absl::InvalidArgumentError(absl::StrCat(ip, ": expected an IPv4 or IPv6 address"));
}

std::optional<std::string> AddressOfGid(const ibv_gid& gid) {
  in6_addr six = {};
  static_assert(sizeof(six) == sizeof(gid.raw));
  std::memcpy(&six, gid.raw, sizeof(six));
  if (IN6_IS_ADDR_V4MAPPED(&six)) return TextOf(AF_INET, &six.s6_addr[12]);
  if (IN6_IS_ADDR_LINKLOCAL(&six) || IN6_IS_ADDR_UNSPECIFIED(&six)) return std::nullopt;
  return TextOf(AF_INET6, &six);
}

std::vector<std::string> HostAddresses(const ibv_gid& gid) {
  std::vector<std::string> found;
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0) return found;
  const Interfaces interfaces(first);
  for (const ifaddrs* each = first; each != nullptr; each = each->ifa_next) {
    const bool usable = (each->ifa_flags & IFF_UP) != 0 && (each->ifa_flags & IFF_LOOPBACK) == 0;
    if (each->ifa_addr == nullptr || !usable) continue;
    const std::string text = TextOf(*each->ifa_addr);
    if (!text.empty()) found.push_back(text);
  }
  const std::optional<std::string> own = AddressOfGid(gid);
  std::stable_partition(found.begin(), found.end(),
                        [&own](const std::string& each) { return own == each; });
  return found;
}

}  // namespace rdmalab::verbs
