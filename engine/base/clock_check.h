// Holds a run's clock against the kernel's two others, so that one that steps or runs at a wrong
// rate is seen.
//
//   const ClockCheck check = ClockCheck::Start(clock);
//   ... the run ...
//   const ClockDrift drift = check.Finish();
#ifndef RDMALAB_ENGINE_BASE_CLOCK_CHECK_H_
#define RDMALAB_ENGINE_BASE_CLOCK_CHECK_H_

#include <cstdint>

#include "engine/base/clock.h"

namespace rdmalab {

// How far the clock went ahead of others (negative: fell behind), in parts per million of
// `elapsed_ns`.
struct ClockDrift {
  int64_t elapsed_ns = 0;
  double against_monotonic_raw_ppm = 0;
  double against_utc_ppm = 0;  // includes what NTP did to the wall clock
};

class ClockCheck {
 public:
  static ClockCheck Start(const Clock& clock);
  ClockDrift Finish() const;

 private:
  struct Reading {
    int64_t clock_ns, monotonic_raw_ns, utc_ns;
  };

  explicit ClockCheck(const Clock& clock) : clock_(clock), start_(Read()) {}
  Reading Read() const;

  Clock clock_;
  Reading start_;
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_BASE_CLOCK_CHECK_H_
