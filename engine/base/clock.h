// The clock of all measured times: nanoseconds since an arbitrary origin, monotonic, never slewed.
//
// Clock::Best() reads the processor's time-stamp counter where it is known to run at one rate at
// all times and on all cores, calibrated against CLOCK_MONOTONIC_RAW, and CLOCK_MONOTONIC_RAW
// itself elsewhere. A Clock is a small value: copy it. Whoever measures takes one as a parameter;
// tests pass Clock::Simulated.
#ifndef RDMALAB_ENGINE_BASE_CLOCK_H_
#define RDMALAB_ENGINE_BASE_CLOCK_H_

#include <time.h>

#include <atomic>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "engine/base/tick_counter.h"

namespace rdmalab {

class Clock {
 public:
  // The time-stamp counter if Tsc() works here, else MonotonicRaw(). Takes some 20 ms to calibrate.
  static Clock Best();

  static Clock MonotonicRaw();

  // Unimplemented, with the reason, where the counter cannot be trusted.
  static absl::StatusOr<Clock> Tsc();

  // Shows `*now_ns`, which outlives the clock. For tests; resolution 1 ns, no overhead.
  static Clock Simulated(const std::atomic<int64_t>* now_ns);

  // Nanoseconds since this clock's origin. Earlier work is done before the read.
  int64_t Now() const {
    if (source_ == Source::kTsc) return TicksToNs(ReadTickCounter());
    if (source_ == Source::kMonotonicRaw) return ReadMonotonicRaw();
    return simulated_now_ns_->load(std::memory_order_relaxed);
  }

  // "tsc", "monotonic_raw" or "simulated", as in the record.
  absl::string_view name() const;

  // The smallest difference that two reads can show: the counter's step, at least the 1 ns that
  // Now() counts in.
  double resolution_ns() const { return resolution_ns_; }

  // The median cost of one read.
  double overhead_ns() const { return overhead_ns_; }

 private:
  enum class Source { kTsc, kMonotonicRaw, kSimulated };

  explicit Clock(Source source) : source_(source) {}

  static int64_t ReadMonotonicRaw() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
  }

  int64_t TicksToNs(uint64_t ticks) const {
    const unsigned __int128 scaled =
        static_cast<unsigned __int128>(ticks - origin_ticks_) * ns_per_tick_scaled_;
    return static_cast<int64_t>(scaled >> kScaleBits);
  }

  absl::Status Calibrate();
  void MeasureItself();

  // Fraction bits of ns_per_tick_scaled_: 2^-32 ns per tick is an error below 1 ns a second.
  static constexpr int kScaleBits = 32;

  Source source_;
  uint64_t origin_ticks_ = 0;
  uint64_t ns_per_tick_scaled_ = 0;
  const std::atomic<int64_t>* simulated_now_ns_ = nullptr;
  double resolution_ns_ = 1;
  double overhead_ns_ = 0;
};

// CLOCK_REALTIME in nanoseconds since 1970, for records; never for a difference.
int64_t UtcNowNs();

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_BASE_CLOCK_H_
