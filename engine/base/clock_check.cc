#include "engine/base/clock_check.h"

namespace rdmalab {
namespace {

int64_t MonotonicRawNs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

double Ppm(int64_t ahead_ns, int64_t of_ns) {
  return of_ns <= 0 ? 0 : 1e6 * static_cast<double>(ahead_ns) / static_cast<double>(of_ns);
}

}  // namespace

ClockCheck ClockCheck::Start(const Clock& clock) { return ClockCheck(clock); }

ClockCheck::Reading ClockCheck::Read() const {
  return {.clock_ns = clock_.Now(), .monotonic_raw_ns = MonotonicRawNs(), .utc_ns = UtcNowNs()};
}

ClockDrift ClockCheck::Finish() const {
  const Reading end = Read();
  const int64_t clock_ns = end.clock_ns - start_.clock_ns;
  const int64_t raw_ns = end.monotonic_raw_ns - start_.monotonic_raw_ns;
  const int64_t utc_ns = end.utc_ns - start_.utc_ns;
  return {.elapsed_ns = raw_ns,
          .against_monotonic_raw_ppm = Ppm(clock_ns - raw_ns, raw_ns),
          .against_utc_ppm = Ppm(clock_ns - utc_ns, raw_ns)};
}

}  // namespace rdmalab
