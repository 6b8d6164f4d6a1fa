// Time that a test moves by hand.
//
//   SimulatedTime time;
//   Deadline deadline = Deadline::After(time.clock(), absl::Seconds(1));
//   time.Advance(absl::Seconds(2));
#ifndef RDMALAB_ENGINE_TESTING_SIMULATED_TIME_H_
#define RDMALAB_ENGINE_TESTING_SIMULATED_TIME_H_

#include <atomic>
#include <cstdint>

#include "absl/time/time.h"
#include "engine/base/clock.h"

namespace rdmalab {

// Its clocks must not outlive it, so it stays where it is.
class SimulatedTime {
 public:
  SimulatedTime() = default;
  SimulatedTime(const SimulatedTime&) = delete;
  SimulatedTime& operator=(const SimulatedTime&) = delete;

  Clock clock() const { return Clock::Simulated(&now_ns_); }
  void Advance(absl::Duration by) { now_ns_ += absl::ToInt64Nanoseconds(by); }

 private:
  std::atomic<int64_t> now_ns_ = 0;
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_TESTING_SIMULATED_TIME_H_
