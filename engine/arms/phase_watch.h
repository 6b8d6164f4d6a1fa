// Splits a get's time into its phases. Phases are cut by consecutive clock reads, one per cut, so
// they add up to the total to the nanosecond and nothing falls between two of them.
//
//   PhaseWatch watch(clock, Phase::kAcquire);   // the clock starts
//   ...; watch.Enter(Phase::kTransfer); ...; watch.Stop();
#ifndef RDMALAB_ENGINE_ARMS_PHASE_WATCH_H_
#define RDMALAB_ENGINE_ARMS_PHASE_WATCH_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "engine/base/clock.h"

namespace rdmalab {

enum class Phase : uint8_t { kWireup, kAcquire, kTransfer, kCopy, kVerify, kRelease };
inline constexpr size_t kTimedPhases = 4;  // kWireup to kCopy make the total

// As in a sample's `error`.
constexpr const char* Name(Phase phase) {
  constexpr std::array<const char*, 6> kNames = {"wireup", "acquire", "transfer",
                                                 "copy",   "verify",  "release"};
  return kNames[static_cast<size_t>(phase)];
}

class PhaseWatch {
 public:
  PhaseWatch(const Clock& clock, Phase first)
      : clock_(clock), phase_(first), start_ns_(clock.Now()), cut_ns_(start_ns_) {
    entered_[static_cast<size_t>(first)] = true;
  }

  // Ends the current phase and begins `next`, which may be one that was left before.
  void Enter(Phase next) {
    Stop();
    phase_ = next;
    entered_[static_cast<size_t>(next)] = true;
  }

  // Ends the current phase.
  void Stop() {
    const int64_t now_ns = clock_.Now();
    spent_ns_[static_cast<size_t>(phase_)] += now_ns - cut_ns_;
    cut_ns_ = now_ns;
  }

  Phase phase() const { return phase_; }
  bool entered(Phase phase) const { return entered_[static_cast<size_t>(phase)]; }
  int64_t spent_ns(Phase phase) const { return spent_ns_[static_cast<size_t>(phase)]; }
  int64_t start_ns() const { return start_ns_; }
  // From the start to the last cut: the sum of all phases.
  int64_t total_ns() const { return cut_ns_ - start_ns_; }

 private:
  Clock clock_;
  Phase phase_;
  int64_t start_ns_;
  int64_t cut_ns_;
  std::array<int64_t, kTimedPhases> spent_ns_ = {};
  std::array<bool, kTimedPhases> entered_ = {};
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_ARMS_PHASE_WATCH_H_
