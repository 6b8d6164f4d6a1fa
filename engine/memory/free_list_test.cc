#include "engine/memory/free_list.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace rdmalab {
namespace {

constexpr size_t kGranule = 4096;

TEST(FreeListTest, TakesTheLowestPartThatFits) {
  FreeList list(8 * kGranule, kGranule);
  EXPECT_EQ(list.Take(2 * kGranule), 0u);
  EXPECT_EQ(list.Take(kGranule), 2 * kGranule);
  EXPECT_EQ(list.Take(kGranule), 3 * kGranule);
  ASSERT_TRUE(list.Release(0).ok());
  EXPECT_EQ(list.Take(3 * kGranule), 4 * kGranule);
  EXPECT_EQ(list.Take(kGranule), 0u);
}

TEST(FreeListTest, RoundsUpToGranules) {
  FreeList list(4 * kGranule, kGranule);
  EXPECT_EQ(list.Take(0), 0u);
  EXPECT_EQ(list.Take(1), kGranule);
  EXPECT_EQ(list.Take(kGranule + 1), 2 * kGranule);
  EXPECT_EQ(list.free_bytes(), 0u);
  EXPECT_EQ(list.Take(1), std::nullopt);
}

TEST(FreeListTest, RefusesMoreThanItHasWithoutWrapping) {
  FreeList list(4 * kGranule, kGranule);
  EXPECT_EQ(list.Take(4 * kGranule + 1), std::nullopt);
  EXPECT_EQ(list.Take(std::numeric_limits<size_t>::max()), std::nullopt);
  EXPECT_EQ(list.Take(4 * kGranule), 0u);
}

TEST(FreeListTest, FragmentedSpaceDoesNotHoldAWholeSlot) {
  FreeList list(4 * kGranule, kGranule);
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(list.Take(kGranule).has_value());
  ASSERT_TRUE(list.Release(0).ok());
  ASSERT_TRUE(list.Release(2 * kGranule).ok());
  EXPECT_EQ(list.free_bytes(), 2 * kGranule);
  EXPECT_EQ(list.largest_free_bytes(), kGranule);
  EXPECT_EQ(list.Take(2 * kGranule), std::nullopt);
}

TEST(FreeListTest, MergesWithBothNeighbours) {
  FreeList list(3 * kGranule, kGranule);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(list.Take(kGranule).has_value());
  ASSERT_TRUE(list.Release(0).ok());
  ASSERT_TRUE(list.Release(2 * kGranule).ok());
  ASSERT_TRUE(list.Release(kGranule).ok());
  EXPECT_EQ(list.largest_free_bytes(), 3 * kGranule);
  EXPECT_TRUE(list.unused());
  EXPECT_EQ(list.Take(3 * kGranule), 0u);
}

TEST(FreeListTest, RefusesToReleaseTwice) {
  FreeList list(2 * kGranule, kGranule);
  ASSERT_TRUE(list.Take(kGranule).has_value());
  ASSERT_TRUE(list.Release(0).ok());
  EXPECT_EQ(list.Release(0).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(list.free_bytes(), 2 * kGranule);
}

TEST(FreeListTest, RefusesToReleaseInsideASlot) {
  FreeList list(2 * kGranule, kGranule);
  ASSERT_TRUE(list.Take(2 * kGranule).has_value());
  EXPECT_EQ(list.Release(kGranule).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(list.free_bytes(), 0u);
}

// Against a plain model, one owner per granule: slots never overlap, space is never lost, first fit
// is what is found, and a full release leaves one whole part.
TEST(FreeListTest, AgreesWithAModelOverRandomUse) {
  constexpr size_t kGranules = 64;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    std::mt19937_64 random(seed);
    FreeList list(kGranules * kGranule, kGranule);
    std::vector<bool> used(kGranules, false);
    std::map<size_t, size_t> slots;  // granule to length in granules
    const auto first_fit = [&](size_t length) -> std::optional<size_t> {
      for (size_t start = 0; start + length <= kGranules; ++start) {
        size_t run = 0;
        while (run < length && !used[start + run]) ++run;
        if (run == length) return start;
      }
      return std::nullopt;
    };
    for (int step = 0; step < 2000; ++step) {
      if (random() % 5 < 3) {
        const size_t bytes = 1 + random() % (10 * kGranule);
        const size_t length = (bytes + kGranule - 1) / kGranule;
        const std::optional<size_t> expected = first_fit(length);
        const std::optional<size_t> offset = list.Take(bytes);
        ASSERT_EQ(offset.has_value(), expected.has_value()) << "seed " << seed << " step " << step;
        if (!offset.has_value()) continue;
        ASSERT_EQ(*offset, *expected * kGranule) << "seed " << seed << " step " << step;
        std::fill_n(used.begin() + static_cast<std::ptrdiff_t>(*expected), length, true);
        slots[*expected] = length;
      } else if (!slots.empty()) {
        auto slot = slots.begin();
        std::advance(slot, static_cast<std::ptrdiff_t>(random() % slots.size()));
        ASSERT_TRUE(list.Release(slot->first * kGranule).ok());
        std::fill_n(used.begin() + static_cast<std::ptrdiff_t>(slot->first), slot->second, false);
        slots.erase(slot);
      }
      const auto in_use = static_cast<size_t>(std::count(used.begin(), used.end(), true));
      ASSERT_EQ(list.free_bytes(), (kGranules - in_use) * kGranule);
      ASSERT_EQ(list.unused(), slots.empty());
    }
    for (const auto& [granule, length] : slots) {
      ASSERT_TRUE(list.Release(granule * kGranule).ok());
    }
    EXPECT_EQ(list.largest_free_bytes(), kGranules * kGranule) << "seed " << seed;
  }
}

}  // namespace
}  // namespace rdmalab
