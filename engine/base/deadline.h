// A point in time after which waiting is over. Every wait in the engine has one.
#ifndef RDMALAB_ENGINE_BASE_DEADLINE_H_
#define RDMALAB_ENGINE_BASE_DEADLINE_H_

#include <algorithm>
#include <cstdint>

#include "absl/time/time.h"
#include "engine/base/clock.h"

namespace rdmalab {

class Deadline {
 public:
  // `after` from now on `clock`; a negative duration is an expired deadline.
  static Deadline After(const Clock& clock, absl::Duration after) {
    return Deadline(clock, clock.Now() + absl::ToInt64Nanoseconds(after));
  }

  bool Expired() const { return clock_.Now() >= at_ns_; }

  // Never negative.
  absl::Duration Remaining() const {
    return absl::Nanoseconds(std::max<int64_t>(0, at_ns_ - clock_.Now()));
  }

  // The remaining time for poll(2), rounded up so that a wait does not spin through its last
  // millisecond.
  int RemainingPollMs() const;

  // The earlier of this deadline and `after` from now: for a step inside a bounded wait.
  Deadline AtMost(absl::Duration after) const {
    return Deadline(clock_, std::min(at_ns_, clock_.Now() + absl::ToInt64Nanoseconds(after)));
  }

 private:
  Deadline(const Clock& clock, int64_t at_ns) : clock_(clock), at_ns_(at_ns) {}

  Clock clock_;
  int64_t at_ns_;
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_BASE_DEADLINE_H_
