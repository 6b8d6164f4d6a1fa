// A process's card: who it is and what must agree between the two before anything is measured.
// The owner's card stands in the exchange folder and opens the control connection; the consumer's
// opens it from the other side.
#ifndef RDMALAB_ENGINE_EXCHANGE_CARD_H_
#define RDMALAB_ENGINE_EXCHANGE_CARD_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace rdmalab {

// Of the control messages and frames; two engines that speak differently never measure together.
inline constexpr int64_t kProtocolVersion = 1;

struct Card {
  std::string role;   // "owner" or "consumer"
  std::string token;  // of the run: tells a folder or a port of another run
  int64_t protocol = kProtocolVersion;
  std::string plan_sha256;
  std::string binary_sha256;
  std::string ucx_runtime;
  std::string control = "";    // owner: host:port of its control listener; consumer: empty
  std::string worker_address;  // opaque bytes of the UCX worker; hexadecimal in the file
};

std::string CardToJson(const Card& card);

// DataLoss when the text is no card.
absl::StatusOr<Card> CardFromJson(const std::string& text);

// What must be equal is equal: token first (PermissionDenied: another run), then protocol, engine
// binary, UCX run time (Unimplemented: these two cannot measure together), plan (InvalidArgument).
// The message names both values. `from` is where theirs came from, for the message.
absl::Status CheckCards(const Card& mine, const Card& theirs, const std::string& from);

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_EXCHANGE_CARD_H_
