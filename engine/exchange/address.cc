#include "engine/exchange/address.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "engine/base/status.h"

namespace rdmalab {
std::string HostPort::ToString() const {
  const bool v6 = host.find(':') != std::string::npos;
  return absl::StrCat(v6 ? "[" : "", host, v6 ? "]:" : ":", port);
}

absl::StatusOr<HostPort> ParseHostPort(absl::string_view text) {
  const auto bad = [text](absl::string_view why) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", text, "': ", why, "; HOST:PORT is meant, e.g. 127.0.0.1:4711"));
  };
  const size_t colon = text.rfind(':');
  if (colon == absl::string_view::npos) return bad("no port");
  absl::string_view host = text.substr(0, colon);
  uint32_t port = 0;
  if (!absl::SimpleAtoi(text.substr(colon + 1), &port) || port > 65535) {
    return bad("the port is not a number up to 65535");
  }
  if (host.size() >= 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != absl::string_view::npos) {
    return bad("an IPv6 address stands in brackets");
  }
  if (host.empty()) return bad("no host");
  return HostPort{.host = std::string(host), .port = static_cast<uint16_t>(port)};
}

absl::StatusOr<Exchange> ParseExchange(absl::string_view text) {
  constexpr absl::string_view kDir = "dir:";
  constexpr absl::string_view kTcp = "tcp:";
  if (text.substr(0, kDir.size()) == kDir && text.size() > kDir.size()) {
    return Exchange(DirExchange{.path = std::string(text.substr(kDir.size()))});
  }
  if (text.substr(0, kTcp.size()) == kTcp) {
    ASSIGN_OR_RETURN(HostPort address, ParseHostPort(text.substr(kTcp.size())));
    return Exchange(TcpExchange{.address = std::move(address)});
  }
  return absl::InvalidArgumentError(
      absl::StrCat("exchange '", text, "': dir:PATH or tcp:HOST:PORT is meant"));
}

}  // namespace rdmalab
