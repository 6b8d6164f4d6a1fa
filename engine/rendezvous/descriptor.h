// The descriptor: what the owner tells a consumer so that it can read a payload with one RDMA GET.
// The consumer trusts nothing in it. ucp_ep_rkey_unpack takes no length, and a GET at a wrong
// address brings down a process or returns another payload, so each field is checked here, before
// UCX sees any of it.
//
// Wire form, little-endian, no padding:
//   0 magic u32 | 4 backend u8 | 5 version u8 | 6 flags u16 | 8 generation u64 | 16 address u64
//   24 length u64 | 32 key length u32 | 36 reserved u32 | 40 key
// The record ends with the key: a byte less or more is an error.
#ifndef RDMALAB_ENGINE_RENDEZVOUS_DESCRIPTOR_H_
#define RDMALAB_ENGINE_RENDEZVOUS_DESCRIPTOR_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace rdmalab {

enum class DescriptorBackend : uint8_t { kUcx = 1, kVerbs = 2 };

inline constexpr size_t kDescriptorHeaderBytes = 40;
// A packed UCX key starts with 8 bytes of memory-domain map and 1 byte of memory type.
inline constexpr size_t kMinKeyBytes = 9;
// Dozens of memory domains with the longest keys seen (cuda_ipc, about 100 bytes) stay below this.
inline constexpr size_t kMaxKeyBytes = 4096;
inline constexpr size_t kMaxDescriptorBytes = kDescriptorHeaderBytes + kMaxKeyBytes;

// A view: `key` points into memory of whoever made it.
struct Descriptor {
  DescriptorBackend backend = DescriptorBackend::kUcx;
  uint64_t generation = 0;
  uint64_t address = 0;
  uint64_t length = 0;
  absl::Span<const uint8_t> key;
};

// What the consumer knows from elsewhere (the plan and the offer that carries the descriptor).
struct DescriptorExpectation {
  DescriptorBackend backend = DescriptorBackend::kUcx;
  uint64_t generation = 0;
  uint64_t length = 0;
};

// Writes into `out` and returns the bytes used. InvalidArgument if the key has an impossible length
// or `out` is too small.
absl::StatusOr<size_t> EncodeDescriptor(const Descriptor& descriptor, absl::Span<uint8_t> out);

// The key of the result points into `bytes`. DataLoss names the field that does not hold.
absl::StatusOr<Descriptor> DecodeDescriptor(absl::Span<const uint8_t> bytes,
                                            const DescriptorExpectation& expected);

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_RENDEZVOUS_DESCRIPTOR_H_
