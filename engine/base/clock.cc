#include "engine/base/clock.h"

#include <algorithm>
#include <array>
#include <limits>

#include "engine/base/status.h"

namespace rdmalab {
namespace {

// Long enough that the 50 ns by which one reading may be off are 2.5 ppm of the rate.
constexpr int64_t kCalibrationNs = 20'000'000;
// Of so many readings the one least disturbed (by an interrupt, by the hypervisor) is taken.
constexpr int kReadingsPerPoint = 64;
constexpr int kSelfMeasurementReads = 1001;

// One instant on both clocks.
struct Point {
  uint64_t ticks;
  int64_t ns;
};

Point ReadPoint(const Clock& raw) {
  Point best = {0, 0};
  int64_t best_width = std::numeric_limits<int64_t>::max();
  for (int i = 0; i < kReadingsPerPoint; ++i) {
    const int64_t before = raw.Now();
    const uint64_t ticks = ReadTickCounter();
    const int64_t after = raw.Now();
    if (after - before < best_width) {
      best_width = after - before;
      best = {ticks, before + (after - before) / 2};
    }
  }
  return best;
}

}  // namespace

Clock Clock::MonotonicRaw() {
  Clock clock(Source::kMonotonicRaw);
  clock.MeasureItself();
  return clock;
}

absl::StatusOr<Clock> Clock::Tsc() {
  RETURN_IF_ERROR(TickCounterIsTrustworthy());
  Clock clock(Source::kTsc);
  RETURN_IF_ERROR(clock.Calibrate());
  clock.MeasureItself();
  return clock;
}

Clock Clock::Best() {
  const absl::StatusOr<Clock> tsc = Tsc();
  return tsc.ok() ? *tsc : MonotonicRaw();
}

Clock Clock::Simulated(const std::atomic<int64_t>* now_ns) {
  Clock clock(Source::kSimulated);
  clock.simulated_now_ns_ = now_ns;
  return clock;
}

absl::string_view Clock::name() const {
  switch (source_) {
    case Source::kTsc:
      return "tsc";
    case Source::kMonotonicRaw:
      return "monotonic_raw";
    case Source::kSimulated:
      break;
  }
  return "simulated";
}

absl::Status Clock::Calibrate() {
  const Clock raw(Source::kMonotonicRaw);
  const Point first = ReadPoint(raw);
  while (raw.Now() - first.ns < kCalibrationNs) {
  }
  const Point last = ReadPoint(raw);
  if (last.ticks <= first.ticks) {
    return absl::UnimplementedError("the time-stamp counter did not advance in 20 ms");
  }
  const auto elapsed_ns = static_cast<unsigned __int128>(last.ns - first.ns);
  ns_per_tick_scaled_ =
      static_cast<uint64_t>((elapsed_ns << kScaleBits) / (last.ticks - first.ticks));
  origin_ticks_ = first.ticks;
  return absl::OkStatus();
}

void Clock::MeasureItself() {
  std::array<int64_t, kSelfMeasurementReads> reads;
  for (int64_t& read : reads) read = Now();
  std::array<int64_t, kSelfMeasurementReads - 1> steps;
  for (size_t i = 0; i < steps.size(); ++i) steps[i] = reads[i + 1] - reads[i];
  std::sort(steps.begin(), steps.end());

  overhead_ns_ = static_cast<double>(steps[steps.size() / 2]);
  const auto smallest = std::upper_bound(steps.begin(), steps.end(), 0);
  // A clock so coarse that it never moved here has a step that no experiment can use.
  resolution_ns_ = smallest == steps.end() ? 1e9 : static_cast<double>(*smallest);
  // The counter's own step is known, where a difference of two reads shows only what a read costs.
  if (source_ == Source::kTsc) {
    resolution_ns_ = std::max(1.0, static_cast<double>(ns_per_tick_scaled_) / (1ull << kScaleBits));
  }
}

int64_t UtcNowNs() {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace rdmalab
