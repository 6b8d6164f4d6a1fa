// How the two processes find each other: the value of --exchange, and host:port pairs in it.
#ifndef RDMALAB_ENGINE_EXCHANGE_ADDRESS_H_
#define RDMALAB_ENGINE_EXCHANGE_ADDRESS_H_

#include <cstdint>
#include <string>
#include <variant>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace rdmalab {

struct HostPort {
  std::string host;   // a name or a numeric address; IPv6 without its brackets
  uint16_t port = 0;  // 0: the kernel chooses (listening only)

  std::string ToString() const;  // "127.0.0.1:4711", "[::1]:4711"
};

// `dir:PATH`: cards in a folder that both processes see.
struct DirExchange {
  std::string path;
};
// `tcp:HOST:PORT`: the owner listens there, the consumer connects there.
struct TcpExchange {
  HostPort address;
};
using Exchange = std::variant<DirExchange, TcpExchange>;

// InvalidArgument says what is wrong and what the forms are.
absl::StatusOr<HostPort> ParseHostPort(absl::string_view text);
absl::StatusOr<Exchange> ParseExchange(absl::string_view text);

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_EXCHANGE_ADDRESS_H_
