#include "engine/operations/working_set.h"

#include <cstring>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace rdmalab {
namespace {

using testing::HasSubstr;

constexpr WorkingSet::Identity kIdentity = {.seed = 1, .cell = 2, .rep = 3};

std::unique_ptr<HostMemory> MemoryFor(const WorkingSet& set) {
  auto memory = HostMemory::Create({.bytes = set.bytes()});
  EXPECT_TRUE(memory.ok()) << memory.status();
  return *std::move(memory);
}

TEST(WorkingSet, SlotsStartAtCacheLinesAndTheWalkWrapsAround) {
  const WorkingSet set(100, 1000);
  EXPECT_EQ(set.stride(), 128);
  EXPECT_EQ(set.slots(), 7);
  EXPECT_EQ(set.bytes(), 896);
  EXPECT_EQ(set.OffsetOf(6), 768);
  EXPECT_EQ(set.OffsetOf(7), 0);
}

TEST(WorkingSet, OneSlotIsThere) { EXPECT_EQ(WorkingSet(100, 1).slots(), 1); }

TEST(WorkingSet, WhatWasMovedSlotBySlotIsRight) {
  const WorkingSet set(1000, 5 << 20);
  const auto source = MemoryFor(set);
  const auto destination = MemoryFor(set);
  ASSERT_TRUE(set.Fill(*source, kIdentity).ok());
  ASSERT_TRUE(set.Poison(*destination, kIdentity).ok());
  for (uint64_t message = 0; message < 50; ++message) {
    std::memcpy(destination->address() + set.OffsetOf(message),
                source->address() + set.OffsetOf(message), 1000);
  }
  EXPECT_TRUE(set.Verify(*destination, kIdentity, 50).ok());
  const absl::Status more = set.Verify(*destination, kIdentity, 51);
  EXPECT_TRUE(absl::IsDataLoss(more));
  EXPECT_THAT(std::string(more.message()), HasSubstr("slot 50: byte 0 of 1000"));
  EXPECT_THAT(std::string(more.message()), HasSubstr("never written"));
}

TEST(WorkingSet, AMessageInTheWrongSlotIsFound) {
  const WorkingSet set(64, 1 << 12);
  const auto memory = MemoryFor(set);
  ASSERT_TRUE(set.Fill(*memory, kIdentity).ok());
  std::swap_ranges(memory->address(), memory->address() + 64, memory->address() + 64);
  EXPECT_TRUE(absl::IsDataLoss(set.Verify(*memory, kIdentity, 2)));
}

TEST(WorkingSet, BytesOfAnotherRepetitionOrCellAreFound) {
  const WorkingSet set(64, 1 << 12);
  const auto memory = MemoryFor(set);
  ASSERT_TRUE(set.Fill(*memory, kIdentity).ok());
  EXPECT_TRUE(absl::IsDataLoss(set.Verify(*memory, {.seed = 1, .cell = 2, .rep = 4}, 1)));
  EXPECT_TRUE(absl::IsDataLoss(set.Verify(*memory, {.seed = 1, .cell = 3, .rep = 3}, 1)));
}

TEST(WorkingSet, MoreMessagesThanSlotsReachAllOfThem) {
  const WorkingSet set(64, 1 << 12);
  const auto memory = MemoryFor(set);
  ASSERT_TRUE(set.Fill(*memory, kIdentity).ok());
  EXPECT_TRUE(set.Verify(*memory, kIdentity, 1'000'000).ok());
  memory->address()[set.bytes() - 1] ^= 1;
  EXPECT_FALSE(set.Verify(*memory, kIdentity, 1'000'000).ok()) << "one bit in the last slot";
}

}  // namespace
}  // namespace rdmalab
