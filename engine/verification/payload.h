// The bytes that a transfer must move: what the owner stages and what the consumer checks, outside
// the timed part.
//
// Word i (64 bits) of a payload is x ^ (x >> 31) with x = key + i * step, the key being a hash of
// seed, slot and repetition. Both steps are bijections of 64-bit words, so within a payload no two
// words are alike and between two payloads no two words at the same place are: a swapped chunk, a
// shifted one and the last repetition's bytes differ from what is due in every word. Only adds,
// shifts and xors, so that any vector unit keeps up with memory.
//
//   const Payload payload({.seed = plan.seed, .slot = slot, .rep = rep});
//   payload.Fill(slot_memory);           // owner
//   payload.Poison(destination);         // consumer, before the transfer
//   absl::Status ok = payload.Verify(destination);
#ifndef RDMALAB_ENGINE_VERIFICATION_PAYLOAD_H_
#define RDMALAB_ENGINE_VERIFICATION_PAYLOAD_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"

namespace rdmalab {

class Payload {
 public:
  struct Identity {
    uint64_t seed = 0;
    uint64_t slot = 0;
    uint64_t rep = 0;
  };

  explicit Payload(const Identity& identity);

  // Writes the payload's first `destination.size()` bytes; any size, any alignment.
  void Fill(absl::Span<uint8_t> destination) const;

  // Writes the complement of each byte that is due, so that any byte that a transfer leaves alone
  // is wrong.
  void Poison(absl::Span<uint8_t> destination) const;

  // DataLoss with offset, expected and seen of the first byte that is not the payload's.
  absl::Status Verify(absl::Span<const uint8_t> seen) const;

 private:
  uint64_t key_;
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_VERIFICATION_PAYLOAD_H_
