#include "engine/base/clock_check.h"

#include <atomic>

#include "gtest/gtest.h"

namespace rdmalab {
namespace {

void SpinFor(int64_t ns) {
  const Clock raw = Clock::MonotonicRaw();
  const int64_t start = raw.Now();
  while (raw.Now() - start < ns) {
  }
}

TEST(ClockCheck, MonotonicRawAgreesWithItself) {
  const ClockCheck check = ClockCheck::Start(Clock::MonotonicRaw());
  SpinFor(20'000'000);
  const ClockDrift drift = check.Finish();
  EXPECT_GE(drift.elapsed_ns, 20'000'000);
  // Readings of the three clocks are not simultaneous; a pause between them is bounded by what was
  // waited.
  EXPECT_LT(drift.against_monotonic_raw_ppm, 1e6);
}

TEST(ClockCheck, SeesAClockThatStands) {
  const std::atomic<int64_t> standing = 0;
  const ClockCheck check = ClockCheck::Start(Clock::Simulated(&standing));
  SpinFor(2'000'000);
  const ClockDrift drift = check.Finish();
  EXPECT_DOUBLE_EQ(drift.against_monotonic_raw_ppm, -1e6);
  EXPECT_LT(drift.against_utc_ppm, 0);
}

TEST(ClockCheck, SeesAClockThatSteps) {
  std::atomic<int64_t> now_ns = 0;
  const ClockCheck check = ClockCheck::Start(Clock::Simulated(&now_ns));
  SpinFor(2'000'000);
  now_ns = int64_t{3600} * 1'000'000'000;
  EXPECT_GT(check.Finish().against_monotonic_raw_ppm, 1e6);
}

}  // namespace
}  // namespace rdmalab
