#include "engine/memory/arena_pool.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <thread>
#include <vector>

#include "engine/memory/fake_registrar.h"
#include "gtest/gtest.h"

namespace rdmalab {
namespace {

constexpr size_t kMiB = size_t{1} << 20;

// Small arenas, so that growth and budget are met with little memory.
constexpr ArenaPoolOptions kSmall = {
    .first_arena_bytes = kMiB, .dedicated_from_bytes = 4 * kMiB, .populate = false};

ArenaPoolOptions WithBudget(size_t bytes) {
  ArenaPoolOptions options = kSmall;
  options.budget_bytes = bytes;
  return options;
}

class ArenaPoolTest : public testing::Test {
 protected:
  std::unique_ptr<ArenaPool> Pool(const ArenaPoolOptions& options) {
    auto pool = ArenaPool::Create(registrar_, options);
    EXPECT_TRUE(pool.ok()) << pool.status();
    return *std::move(pool);
  }

  static Lease Take(ArenaPool& pool, size_t bytes) {
    absl::StatusOr<Lease> lease = pool.Take(bytes);
    EXPECT_TRUE(lease.ok()) << lease.status();
    return lease.ok() ? *std::move(lease) : Lease();
  }

  FakeRegistrar registrar_;
};

TEST_F(ArenaPoolTest, RegistersNothingBeforeTheFirstTake) {
  const auto pool = Pool({});
  EXPECT_TRUE(registrar_.ranges.empty());
  EXPECT_EQ(pool->counters().registered_bytes, 0u);
}

TEST_F(ArenaPoolTest, TheFirstArenaHas64MiBAndOneRegistrationForAllItsSlots) {
  const auto pool = Pool({.populate = false});
  const Lease a = Take(*pool, 4096);
  const Lease b = Take(*pool, kMiB);
  ASSERT_EQ(registrar_.ranges.size(), 1u);
  EXPECT_EQ(registrar_.ranges.begin()->second, 64 * kMiB);
  EXPECT_EQ(a.arena_id(), b.arena_id());
  EXPECT_EQ(a.registration().packed_key(), b.registration().packed_key());
  EXPECT_EQ(pool->counters().registrations, 1u);
  EXPECT_EQ(pool->counters().leased_bytes, kMiB + 4096);
}

TEST_F(ArenaPoolTest, SlotsAreWritablePageAlignedAndApart) {
  const auto pool = Pool(kSmall);
  const Lease a = Take(*pool, 5000);
  const Lease b = Take(*pool, 1);
  EXPECT_EQ(a.bytes(), 5000u);
  EXPECT_EQ(a.address() % static_cast<uint64_t>(getpagesize()), 0u);
  EXPECT_GE(b.address(), a.address() + 5000);
  EXPECT_EQ(b.address() % static_cast<uint64_t>(getpagesize()), 0u);
  memset(a.data(), 1, a.bytes());
  memset(b.data(), 2, b.bytes());
  EXPECT_EQ(a.data()[4999], 1);
}

TEST_F(ArenaPoolTest, AFullPoolGrowsByTwiceTheLastArena) {
  const auto pool = Pool(kSmall);
  std::vector<Lease> leases;
  for (int i = 0; i < 7; ++i) leases.push_back(Take(*pool, kMiB));
  EXPECT_EQ(pool->counters().arenas, 3u);
  EXPECT_EQ(pool->counters().registered_bytes, 7 * kMiB);  // 1 + 2 + 4
}

TEST_F(ArenaPoolTest, ALargeSlotGetsAnArenaOfItsOwnThatSmallSlotsLeaveAlone) {
  const auto pool = Pool(kSmall);
  Lease large = Take(*pool, 4 * kMiB + 1);
  const uint64_t id = large.arena_id();
  EXPECT_EQ(pool->counters().registered_bytes, 4 * kMiB + static_cast<size_t>(getpagesize()));
  large.Release();
  EXPECT_NE(Take(*pool, 4096).arena_id(), id);
}

TEST_F(ArenaPoolTest, AReleasedLargeArenaServesTheNextOfItsKindWithoutARegistration) {
  const auto pool = Pool(kSmall);
  const uint64_t id = Take(*pool, 8 * kMiB).arena_id();
  const Lease again = Take(*pool, 5 * kMiB);
  EXPECT_EQ(again.arena_id(), id);
  EXPECT_EQ(pool->counters().registrations, 1u);
}

TEST_F(ArenaPoolTest, OverBudgetIsToldApartFromOtherShortages) {
  const auto pool = Pool(WithBudget(2 * kMiB));
  const Lease held = Take(*pool, kMiB);
  const absl::Status refused = pool->Take(2 * kMiB).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(IsOverBudget(refused)) << refused;
  EXPECT_EQ(pool->counters().over_budget, 1u);
  EXPECT_FALSE(IsOverBudget(absl::ResourceExhaustedError("the machine")));
  EXPECT_FALSE(IsOverBudget(absl::OkStatus()));
}

TEST_F(ArenaPoolTest, ASlotLargerThanTheWholeBudgetIsRefusedAtOnce) {
  const auto pool = Pool(WithBudget(2 * kMiB));
  EXPECT_TRUE(IsOverBudget(pool->Take(2 * kMiB + 1).status()));
  EXPECT_TRUE(IsOverBudget(pool->Take(std::numeric_limits<size_t>::max()).status()));
  EXPECT_EQ(pool->counters().registrations, 0u);
}

TEST_F(ArenaPoolTest, GrowthShrinksToWhatTheBudgetLeaves) {
  const auto pool = Pool(WithBudget(2 * kMiB + 8192));
  std::vector<Lease> leases;
  leases.push_back(Take(*pool, kMiB));
  leases.push_back(Take(*pool, kMiB));  // the planned 2 MiB do not fit
  EXPECT_LE(pool->counters().registered_bytes, 2 * kMiB + 8192);
  leases.push_back(Take(*pool, 4096));
  EXPECT_EQ(pool->counters().arenas, 2u);
}

TEST_F(ArenaPoolTest, UnusedArenasAreDroppedBeforeTheBudgetRefuses) {
  const auto pool = Pool(WithBudget(8 * kMiB));
  { const Lease large = Take(*pool, 6 * kMiB); }
  const Lease other = Take(*pool, 7 * kMiB);
  EXPECT_EQ(pool->counters().registered_bytes, 7 * kMiB);
  EXPECT_EQ(registrar_.ranges.size(), 1u);
  EXPECT_EQ(pool->counters().registrations, 2u);
}

TEST_F(ArenaPoolTest, AnArenaIdIsNeverUsedAgain) {
  const auto pool = Pool(WithBudget(8 * kMiB));
  const uint64_t first = Take(*pool, 6 * kMiB).arena_id();
  const uint64_t second = Take(*pool, 7 * kMiB).arena_id();
  EXPECT_NE(first, second);
}

TEST_F(ArenaPoolTest, ReserveMakesTheNextTakeFreeOfRegistrations) {
  const auto pool = Pool(kSmall);
  ASSERT_TRUE(pool->Reserve(6 * kMiB).ok());
  const uint64_t before = pool->counters().registrations;
  const Lease lease = Take(*pool, 6 * kMiB);
  EXPECT_EQ(pool->counters().registrations, before);
}

TEST_F(ArenaPoolTest, TheRegistrarsRefusalIsPassedOnAndLeavesNothingBehind) {
  const auto pool = Pool(kSmall);
  registrar_.refusal = absl::ResourceExhaustedError("memlock");
  const absl::Status refused = pool->Take(4096).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_FALSE(IsOverBudget(refused));
  EXPECT_NE(refused.message().find("memlock"), absl::string_view::npos) << refused;
  EXPECT_EQ(pool->counters().registered_bytes, 0u);
  registrar_.refusal = absl::OkStatus();
  EXPECT_TRUE(pool->Take(4096).ok());
}

TEST_F(ArenaPoolTest, AMovedLeaseIsGivenBackOnce) {
  const auto pool = Pool(kSmall);
  Lease a = Take(*pool, 4096);
  Lease b = std::move(a);
  EXPECT_FALSE(static_cast<bool>(a));
  EXPECT_EQ(pool->counters().leases, 1u);
  b = Take(*pool, 8192);
  EXPECT_EQ(pool->counters().leases, 1u);
  b.Release();
  b.Release();
  EXPECT_EQ(pool->counters().leases, 0u);
  EXPECT_EQ(pool->counters().leased_bytes, 0u);
}

TEST_F(ArenaPoolTest, RefusesNonsense) {
  const auto pool = Pool(kSmall);
  EXPECT_EQ(pool->Take(0).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ArenaPool::Create(registrar_, {.budget_bytes = 0}).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ArenaPool::Create(registrar_, {.first_arena_bytes = 0}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(ArenaPoolTest, DestroyedWithALeaseOutEndsTheProcess) {
  EXPECT_DEATH(
      {
        auto pool = Pool(kSmall);
        const Lease lease = Take(*pool, 4096);
        pool.reset();
      },
      "1 leases out");
}

// Over random use: slots of one moment never overlap, what was written in them stays, the budget is
// kept, and all counters return to zero.
TEST_F(ArenaPoolTest, SlotsKeepTheirBytesOverRandomUse) {
  constexpr size_t kBudget = 12 * kMiB;
  const auto pool = Pool(WithBudget(kBudget));
  std::mt19937_64 random(20);
  struct Slot {
    Lease lease;
    uint8_t mark;
  };
  std::vector<Slot> slots;
  const auto check = [](const Slot& slot) {
    return std::all_of(slot.lease.data(), slot.lease.data() + slot.lease.bytes(),
                       [&](uint8_t byte) { return byte == slot.mark; });
  };
  for (int step = 0; step < 1500; ++step) {
    if (random() % 2 == 0) {
      const size_t largest = random() % 20 == 0 ? 5 * kMiB : 64 * 1024;
      absl::StatusOr<Lease> lease = pool->Take(1 + random() % largest);
      if (!lease.ok()) {
        ASSERT_TRUE(IsOverBudget(lease.status())) << lease.status();
        slots.clear();
        continue;
      }
      const auto mark = static_cast<uint8_t>(random());
      memset(lease->data(), mark, lease->bytes());
      slots.push_back({*std::move(lease), mark});
    } else if (!slots.empty()) {
      std::swap(slots[random() % slots.size()], slots.back());
      ASSERT_TRUE(check(slots.back())) << "step " << step;
      slots.pop_back();
    }
    ASSERT_LE(pool->counters().registered_bytes, kBudget);
    ASSERT_EQ(pool->counters().leases, slots.size());
  }
  EXPECT_TRUE(std::all_of(slots.begin(), slots.end(), check));
  slots.clear();
  EXPECT_EQ(pool->counters().leased_bytes, 0u);
}

TEST_F(ArenaPoolTest, ServesSeveralThreads) {
  const auto pool = Pool(kSmall);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&pool] {
      for (int i = 0; i < 500; ++i) {
        absl::StatusOr<Lease> lease = pool->Take(4096);
        ASSERT_TRUE(lease.ok());
        lease->data()[0] = 1;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(pool->counters().leases, 0u);
}

}  // namespace
}  // namespace rdmalab
