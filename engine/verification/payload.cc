#include "engine/verification/payload.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "absl/strings/str_format.h"

namespace rdmalab {
namespace {

static_assert(std::endian::native == std::endian::little,
              "words are laid down as they are in memory");

constexpr size_t kWordBytes = sizeof(uint64_t);
// Odd, so that a payload's words are all different; the golden ratio's bits, so that neighbours
// differ in all bytes.
constexpr uint64_t kStep = 0x9e3779b97f4a7c15;
// Words checked between two looks at whether one was wrong: 4 KiB.
constexpr size_t kWordsPerLook = 512;

// gcc builds these loops twice and picks by the processor at start: with 256-bit vectors checking
// outruns memcmp, with the baseline's 128 bits it is at 0.75 of it where memory is fast.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define RDMALAB_WIDEST_VECTORS __attribute__((target_clones("avx2", "default")))
#else
#define RDMALAB_WIDEST_VECTORS
#endif

// The finaliser of MurmurHash3: each bit of the argument changes half of the result's.
constexpr uint64_t Mixed(uint64_t x) {
  x = (x ^ (x >> 33)) * 0xff51afd7ed558ccd;
  x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53;
  return x ^ (x >> 33);
}

constexpr uint64_t Word(uint64_t x) { return x ^ (x >> 31); }

uint64_t Load(const uint8_t* from) {
  uint64_t word;
  std::memcpy(&word, from, kWordBytes);
  return word;
}

// Writes the words of `key`, each xor `flip`.
RDMALAB_WIDEST_VECTORS void Write(uint64_t key, uint64_t flip, absl::Span<uint8_t> destination) {
  uint8_t* const to = destination.data();
  const size_t words = destination.size() / kWordBytes;
  for (size_t i = 0; i < words; ++i) {
    const uint64_t word = Word(key + i * kStep) ^ flip;
    std::memcpy(to + i * kWordBytes, &word, kWordBytes);
  }
  const uint64_t last = Word(key + words * kStep) ^ flip;
  std::memcpy(to + words * kWordBytes, &last, destination.size() % kWordBytes);
}

// Whether `words` words at `seen` are those from x = `first` on. No early end, so that it
// vectorises.
RDMALAB_WIDEST_VECTORS bool WordsAreRight(const uint8_t* seen, size_t words, uint64_t first) {
  uint64_t difference = 0;
#pragma GCC unroll 4
  for (size_t i = 0; i < words; ++i) {
    difference |= Load(seen + i * kWordBytes) ^ Word(first + i * kStep);
  }
  return difference == 0;
}

uint8_t ByteAt(uint64_t key, size_t offset) {
  const uint64_t word = Word(key + offset / kWordBytes * kStep);
  return static_cast<uint8_t>(word >> (8 * (offset % kWordBytes)));
}

// The first wrong byte from `offset` on, or the size.
size_t FirstWrong(uint64_t key, absl::Span<const uint8_t> seen, size_t offset) {
  while (offset < seen.size() && seen[offset] == ByteAt(key, offset)) ++offset;
  return offset;
}

}  // namespace

Payload::Payload(const Identity& identity)
    : key_(Mixed(Mixed(Mixed(identity.seed) + identity.slot) + identity.rep)) {}

void Payload::Fill(absl::Span<uint8_t> destination) const { Write(key_, 0, destination); }

void Payload::Poison(absl::Span<uint8_t> destination) const {
  Write(key_, ~uint64_t{0}, destination);
}

absl::Status Payload::Verify(absl::Span<const uint8_t> seen) const {
  const size_t words = seen.size() / kWordBytes;
  size_t right = 0;  // words known to be
  while (right < words) {
    const size_t looked = std::min(kWordsPerLook, words - right);
    if (!WordsAreRight(seen.data() + right * kWordBytes, looked, key_ + right * kStep)) break;
    right += looked;
  }
  const size_t wrong = FirstWrong(key_, seen, right * kWordBytes);
  if (wrong == seen.size()) return absl::OkStatus();
  const uint8_t expected = ByteAt(key_, wrong);
  const bool poison = seen[wrong] == static_cast<uint8_t>(~expected);
  return absl::DataLossError(absl::StrFormat("byte %d of %d: expected 0x%02x, seen 0x%02x%s", wrong,
                                             seen.size(), expected, seen[wrong],
                                             poison ? ", the poison: never written" : ""));
}

}  // namespace rdmalab
