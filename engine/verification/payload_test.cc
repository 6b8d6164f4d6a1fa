#include "engine/verification/payload.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace rdmalab {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr size_t kChunk = 64 * 1024;
constexpr Payload::Identity kIdentity = {.seed = 42, .slot = 3, .rep = 7};

std::vector<uint8_t> Filled(const Payload::Identity& identity, size_t bytes) {
  std::vector<uint8_t> memory(bytes);
  Payload(identity).Fill(absl::MakeSpan(memory));
  return memory;
}

// The message of a failed check of `memory`; empty if it passes.
std::string Complaint(const std::vector<uint8_t>& memory) {
  return std::string(Payload(kIdentity).Verify(memory).message());
}

TEST(Payload, PassesWhatItFilledAtEverySizeAndAlignment) {
  for (const size_t bytes : {0, 1, 7, 8, 9, 63, 4095, 4096, 4097, 65'537, (1 << 20) + 4097}) {
    for (const size_t shift : {0, 1, 5}) {
      std::vector<uint8_t> memory(bytes + shift + 1, 0xee);
      const auto payload_memory = absl::MakeSpan(memory).subspan(shift, bytes);
      Payload(kIdentity).Fill(payload_memory);
      EXPECT_TRUE(Payload(kIdentity).Verify(payload_memory).ok()) << bytes << " at " << shift;
      EXPECT_EQ(memory.back(), 0xee) << "wrote behind the end of " << bytes;
    }
  }
}

TEST(Payload, AShorterPayloadIsTheStartOfALongerOne) {
  const std::vector<uint8_t> longer = Filled(kIdentity, 5000);
  EXPECT_EQ(Complaint({longer.begin(), longer.begin() + 4321}), "");
}

// Every place that the loop treats in its own way: first, inside a word, around a look's end, in
// the tail.
TEST(Payload, CatchesASingleFlippedBitAnywhere) {
  constexpr size_t kBytes = 3 * 4096 + 13;
  std::vector<uint8_t> memory = Filled(kIdentity, kBytes);
  for (size_t offset = 0; offset < kBytes; ++offset) {
    const auto flipped = static_cast<uint8_t>(memory[offset] ^ (1 << (offset % 8)));
    std::swap(memory[offset], const_cast<uint8_t&>(flipped));
    ASSERT_THAT(Complaint(memory), StartsWith("byte " + std::to_string(offset) + " of 12301: "));
    std::swap(memory[offset], const_cast<uint8_t&>(flipped));
  }
  EXPECT_EQ(Complaint(memory), "");
}

TEST(Payload, TellsOffsetExpectedAndSeen) {
  std::vector<uint8_t> memory = Filled(kIdentity, kChunk);
  const uint8_t expected = memory[12'345];
  memory[12'345] = static_cast<uint8_t>(expected ^ 0x01);
  char text[80];
  std::snprintf(text, sizeof(text), "byte 12345 of 65536: expected 0x%02x, seen 0x%02x", expected,
                expected ^ 0x01);
  EXPECT_EQ(Complaint(memory), text);
  EXPECT_EQ(Payload(kIdentity).Verify(memory).code(), absl::StatusCode::kDataLoss);
}

TEST(Payload, CatchesSwappedAndShiftedChunks) {
  const std::vector<uint8_t> right = Filled(kIdentity, 8 * kChunk);
  std::vector<uint8_t> swapped = right;
  std::swap_ranges(swapped.begin() + 2 * kChunk, swapped.begin() + 3 * kChunk,
                   swapped.begin() + 5 * kChunk);
  EXPECT_THAT(Complaint(swapped), StartsWith("byte 1310"));  // within the first word of chunk 2

  for (const size_t shift : {1, 8, 4096, 65'536}) {
    std::vector<uint8_t> shifted = right;
    std::memmove(shifted.data(), shifted.data() + shift, shifted.size() - shift);
    EXPECT_NE(Complaint(shifted), "") << shift;
  }
}

TEST(Payload, CatchesTheLastRepetitionAnotherSlotAndAnotherSeed) {
  EXPECT_NE(Complaint(Filled({.seed = 42, .slot = 3, .rep = 6}, kChunk)), "");
  EXPECT_NE(Complaint(Filled({.seed = 42, .slot = 2, .rep = 7}, kChunk)), "");
  EXPECT_NE(Complaint(Filled({.seed = 43, .slot = 3, .rep = 7}, kChunk)), "");
}

// A stale buffer must not pass by luck in any word, or a partly stale one could.
TEST(Payload, NoWordOfAnotherRepetitionIsRight) {
  const std::vector<uint8_t> right = Filled(kIdentity, kChunk);
  for (uint64_t rep = 0; rep < 100; ++rep) {
    if (rep == kIdentity.rep) continue;
    const std::vector<uint8_t> stale = Filled({.seed = 42, .slot = 3, .rep = rep}, kChunk);
    for (size_t word = 0; word < kChunk; word += 8) {
      ASSERT_NE(std::memcmp(&right[word], &stale[word], 8), 0) << rep << " at " << word;
    }
  }
}

TEST(Payload, NeighbouringIdentitiesHaveDifferentFirstWords) {
  std::set<std::vector<uint8_t>> seen;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    for (uint64_t slot = 0; slot < 10; ++slot) {
      for (uint64_t rep = 0; rep < 10; ++rep) seen.insert(Filled({seed, slot, rep}, 8));
    }
  }
  EXPECT_EQ(seen.size(), 1000);
}

TEST(Payload, PoisonIsWrongInEveryByte) {
  std::vector<uint8_t> poisoned(kChunk + 3);
  Payload(kIdentity).Poison(absl::MakeSpan(poisoned));
  const std::vector<uint8_t> right = Filled(kIdentity, poisoned.size());
  for (size_t i = 0; i < poisoned.size(); ++i) ASSERT_NE(poisoned[i], right[i]) << i;
}

TEST(Payload, CatchesAMoveThatIsTooShortByOneByteAndSaysSo) {
  const std::vector<uint8_t> right = Filled(kIdentity, 1'000'001);
  std::vector<uint8_t> destination(right.size());
  for (const size_t moved : {right.size() - 1, right.size() - 9, size_t{4096}, size_t{0}}) {
    Payload(kIdentity).Poison(absl::MakeSpan(destination));
    std::copy_n(right.begin(), moved, destination.begin());
    EXPECT_THAT(Complaint(destination), StartsWith("byte " + std::to_string(moved) + " of "));
    EXPECT_THAT(Complaint(destination), HasSubstr("the poison: never written"));
  }
}

}  // namespace
}  // namespace rdmalab
