// The loops of the operations engine: as many operations as go, or one after the other. One
// template for every library; what posts and drains is the Driver:
//
//   struct Driver {
//     // Operations that the peer has room for, beyond `posted`.
//     uint64_t Room(uint64_t posted);
//     // Messages first .. first + count - 1.
//     void Post(uint64_t first, uint64_t count, bool signal_last);
//     // Operations complete since the connection was made.
//     uint64_t Poll();
//     // Why nothing more will complete.
//     const absl::Status& failure();
//   };
//
// Between two clock reads of a rate there are some 100 ms: the first part of a run tells how many
// completions that is. Only while nothing completes is the clock looked at, so that no wait lasts
// for ever.
#ifndef RDMALAB_ENGINE_OPERATIONS_DRIVER_LOOPS_H_
#define RDMALAB_ENGINE_OPERATIONS_DRIVER_LOOPS_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "engine/base/clock.h"
#include "engine/base/status.h"
#include "engine/operations/cell_spec.h"
#include "engine/operations/measured.h"

namespace rdmalab {

// Turns without a completion between two looks at the clock and at the peer.
inline constexpr uint64_t kIdleTurnsPerLook = 4096;
inline constexpr int64_t kSubWindowNs = 100'000'000;
// Before a rate is measured: connections, caches and the adapter's tables are warm after this.
inline constexpr int64_t kRampNs = 20'000'000;
inline constexpr uint64_t kRampCompletionsPerLook = 64;
// Latencies kept of one sample.
inline constexpr uint64_t kMostLatencies = 10'000;
inline constexpr uint64_t kLatencyRamp = 32;
inline constexpr uint64_t kOperationsPerGlance = 1024;

template <typename Driver>
class Loops {
 public:
  // `look` is called while nothing completes; its error (peer gone, signal) ends the wait. Nothing
  // completing for `patience` ends it as well. `glance` is called after each sub-window and each
  // kOperationsPerGlance latencies, so it must be cheap: a cell that never idles can be ended too.
  struct Watch {
    absl::FunctionRef<absl::Status()> look;
    absl::FunctionRef<absl::Status()> glance;
  };

  Loops(Driver& driver, const CellSpec& spec, const Clock& clock, absl::Duration patience,
        const Watch& watch)
      : driver_(driver),
        spec_(spec),
        clock_(clock),
        patience_ns_(absl::ToInt64Nanoseconds(patience)),
        window_(spec.window),
        list_(spec.post_list()),
        watch_(watch) {}

  absl::Status Run(Measured& measured) {
    const absl::Status status = spec_.latency ? RunLatency(measured) : RunRate(measured);
    measured.total = completed_;
    return status;
  }

 private:
  absl::Status RunRate(Measured& measured) {
    const int64_t ramp_start = clock_.Now();
    int64_t now = ramp_start;
    const int64_t ramp_ns = std::min(kRampNs, absl::ToInt64Nanoseconds(spec_.duration));
    do {
      RETURN_IF_ERROR(CompleteUntil(completed_ + kRampCompletionsPerLook));
      now = clock_.Now();
    } while (now - ramp_start < ramp_ns);
    const double per_ns = static_cast<double>(completed_) / static_cast<double>(now - ramp_start);
    return spec_.iterations > 0 ? RunCounted(per_ns, measured) : RunTimed(per_ns, measured);
  }

  // Steady state: starts and ends with a full window, and what is in flight at the end is not
  // counted.
  absl::Status RunTimed(double per_ns, Measured& measured) {
    const int64_t duration_ns = absl::ToInt64Nanoseconds(spec_.duration);
    const int64_t part_ns = std::min(kSubWindowNs, duration_ns / 3);
    uint64_t quota = Quota(per_ns, part_ns);
    const int64_t start = clock_.Now();
    const uint64_t before = completed_;
    int64_t last = start;
    uint64_t counted = before;
    while (last - start < duration_ns) {
      RETURN_IF_ERROR(CompleteUntil(completed_ + quota));
      AddSubWindow(measured, last, counted);
      quota = NextQuota(quota, measured.sub_windows.back().ns, part_ns);
      RETURN_IF_ERROR(watch_.glance());
    }
    measured.start_ns = start;
    measured.elapsed_ns = last - start;
    measured.messages = counted - before;
    return Drain();
  }

  // As a peer tool counts: from an empty window until the last of N is complete.
  absl::Status RunCounted(double per_ns, Measured& measured) {
    RETURN_IF_ERROR(Drain());
    const uint64_t quota = Quota(per_ns, kSubWindowNs);
    const uint64_t before = completed_;
    limit_ = before + spec_.iterations;
    const int64_t start = clock_.Now();
    int64_t last = start;
    uint64_t counted = before;
    while (completed_ < limit_) {
      RETURN_IF_ERROR(CompleteUntil(std::min(limit_, completed_ + quota)));
      AddSubWindow(measured, last, counted);
      RETURN_IF_ERROR(watch_.glance());
    }
    measured.start_ns = start;
    measured.elapsed_ns = last - start;
    measured.messages = counted - before;
    return absl::OkStatus();
  }

  void AddSubWindow(Measured& measured, int64_t& last, uint64_t& counted) {
    const int64_t now = clock_.Now();
    measured.sub_windows.push_back({now - last, static_cast<int64_t>(completed_ - counted)});
    last = now;
    counted = completed_;
  }

  uint64_t Quota(double per_ns, int64_t ns) const {
    return std::max<uint64_t>(1, static_cast<uint64_t>(per_ns * static_cast<double>(ns)));
  }

  // The first part pays for connections and cold caches, so that its rate says too little.
  static uint64_t NextQuota(uint64_t quota, int64_t took_ns, int64_t part_ns) {
    const double factor =
        static_cast<double>(part_ns) / static_cast<double>(std::max<int64_t>(1, took_ns));
    return std::max<uint64_t>(
        1, static_cast<uint64_t>(static_cast<double>(quota) * std::clamp(factor, 0.5, 8.0)));
  }

  absl::Status RunLatency(Measured& measured) {
    for (uint64_t i = 0; i < kLatencyRamp; ++i) RETURN_IF_ERROR(One());
    const int64_t duration_ns = absl::ToInt64Nanoseconds(spec_.duration);
    const uint64_t most = spec_.iterations > 0 ? spec_.iterations : kMostLatencies;
    std::vector<int64_t> ring(most);  // touched now, so that no page fault is left for the loop
    const int64_t start = clock_.Now();
    int64_t end = start;
    uint64_t count = 0;
    while (count < most && (spec_.iterations > 0 || end - start < duration_ns)) {
      const int64_t before = clock_.Now();
      RETURN_IF_ERROR(One());
      end = clock_.Now();
      ring[count++] = end - before;
      if (count % kOperationsPerGlance == 0) RETURN_IF_ERROR(watch_.glance());
    }
    ring.resize(count);
    measured.start_ns = start;
    measured.elapsed_ns = end - start;
    measured.messages = count;
    measured.latency_ns = std::move(ring);
    return absl::OkStatus();
  }

  absl::Status One() {
    uint64_t idle = 0;
    while (driver_.Room(posted_) == 0) RETURN_IF_ERROR(Idle(idle));
    driver_.Post(posted_, 1, /*signal_last=*/true);
    ++posted_;
    return CompleteWithoutPosting(posted_);
  }

  // Posts and drains until `target` operations are complete. The hot loop.
  absl::Status CompleteUntil(uint64_t target) {
    uint64_t idle = 0;
    while (completed_ < target) {
      const uint64_t posted = PostWhatIsFree();
      const uint64_t completed = driver_.Poll();
      if (completed == completed_ && posted == 0) [[unlikely]] {
        RETURN_IF_ERROR(Idle(idle));
      } else {
        idle = 0;
        completed_ = completed;
      }
    }
    return absl::OkStatus();
  }

  // How many work requests were handed over, in one list.
  uint64_t PostWhatIsFree() {
    const uint64_t free = window_ - (posted_ - completed_);
    const uint64_t count = std::min({free, list_, limit_ - posted_, driver_.Room(posted_)});
    if (count == 0) return 0;
    driver_.Post(posted_, count, posted_ + count == limit_);
    posted_ += count;
    return count;
  }

  // Until the window is empty. The last posted may have asked for no completion: then a few more
  // are posted, up to the one that does.
  absl::Status Drain() {
    const uint64_t every = spec_.signal_every();
    limit_ = (posted_ + every - 1) / every * every;
    const absl::Status done = CompleteUntil(limit_);
    limit_ = kNoLimit;
    return done;
  }

  absl::Status CompleteWithoutPosting(uint64_t target) {
    uint64_t idle = 0;
    while ((completed_ = driver_.Poll()) < target) RETURN_IF_ERROR(Idle(idle));
    return absl::OkStatus();
  }

  absl::Status Idle(uint64_t& idle) {
    if (!driver_.failure().ok()) return driver_.failure();
    if (++idle % kIdleTurnsPerLook != 0) return absl::OkStatus();
    return LookAround(idle);
  }

  absl::Status LookAround(uint64_t idle) {
    RETURN_IF_ERROR(watch_.look());
    const int64_t now = clock_.Now();
    if (idle == kIdleTurnsPerLook) idle_since_ns_ = now;
    if (now - idle_since_ns_ < patience_ns_) return absl::OkStatus();
    return absl::DeadlineExceededError(
        absl::StrCat("nothing completed for ", patience_ns_ / 1'000'000, " ms with ",
                     posted_ - completed_, " operations in flight, ", completed_, " complete"));
  }

  static constexpr uint64_t kNoLimit = ~uint64_t{0};

  Driver& driver_;
  const CellSpec spec_;
  const Clock clock_;
  const int64_t patience_ns_;
  const uint64_t window_;
  const uint64_t list_;
  const Watch watch_;
  uint64_t posted_ = 0;
  uint64_t completed_ = 0;
  uint64_t limit_ = kNoLimit;  // of posted operations
  int64_t idle_since_ns_ = 0;
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_OPERATIONS_DRIVER_LOOPS_H_
