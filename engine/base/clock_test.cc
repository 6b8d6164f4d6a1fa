#include "engine/base/clock.h"

#include <cstdlib>

#include "gtest/gtest.h"

namespace rdmalab {
namespace {

constexpr int kReads = 100'000;

void ExpectNeverGoesBack(const Clock& clock) {
  int64_t last = clock.Now();
  for (int i = 0; i < kReads; ++i) {
    const int64_t now = clock.Now();
    ASSERT_GE(now, last);
    last = now;
  }
  EXPECT_GT(clock.resolution_ns(), 0);
  EXPECT_GT(clock.overhead_ns(), 0);
}

TEST(Clock, MonotonicRawNeverGoesBack) { ExpectNeverGoesBack(Clock::MonotonicRaw()); }

TEST(Clock, TscNeverGoesBackAndCountsNanoseconds) {
  const absl::StatusOr<Clock> tsc = Clock::Tsc();
  if (!tsc.ok()) GTEST_SKIP() << tsc.status().message();
  EXPECT_EQ(tsc->name(), "tsc");
  ExpectNeverGoesBack(*tsc);

  // The same stretch on both clocks, once with each of them outside: a wrong unit or scale shows, a
  // pause of this process lengthens only the outer one.
  const Clock raw = Clock::MonotonicRaw();
  constexpr int64_t kStretchNs = 30'000'000;
  const int64_t raw_outer = raw.Now();
  const int64_t tsc_inner = tsc->Now();
  while (raw.Now() - raw_outer < kStretchNs) {
  }
  const int64_t tsc_inner_ns = tsc->Now() - tsc_inner;
  const int64_t raw_outer_ns = raw.Now() - raw_outer;
  EXPECT_LE(tsc_inner_ns, raw_outer_ns + raw_outer_ns / 1000);

  const int64_t tsc_outer = tsc->Now();
  const int64_t raw_inner = raw.Now();
  while (tsc->Now() - tsc_outer < kStretchNs) {
  }
  const int64_t raw_inner_ns = raw.Now() - raw_inner;
  const int64_t tsc_outer_ns = tsc->Now() - tsc_outer;
  EXPECT_LE(raw_inner_ns, tsc_outer_ns + tsc_outer_ns / 1000);
}

TEST(Clock, BestIsOneOfTheTwoThatTheRecordKnows) {
  const Clock best = Clock::Best();
  EXPECT_TRUE(best.name() == "tsc" || best.name() == "monotonic_raw") << best.name();
  EXPECT_EQ(best.name() == "tsc", Clock::Tsc().ok());
}

TEST(Clock, SimulatedShowsWhatItIsTold) {
  std::atomic<int64_t> now_ns = 5;
  const Clock clock = Clock::Simulated(&now_ns);
  const Clock copy = clock;
  now_ns = 1'000'000'007;
  EXPECT_EQ(clock.Now(), 1'000'000'007);
  EXPECT_EQ(copy.Now(), 1'000'000'007);
  EXPECT_EQ(clock.name(), "simulated");
}

TEST(Clock, UtcIsAfterThisWasWritten) {
  EXPECT_GT(UtcNowNs(), int64_t{1'700'000'000} * 1'000'000'000);
}

}  // namespace
}  // namespace rdmalab
