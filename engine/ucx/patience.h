// What ends a wait other than its success: a deadline, a stop flag, and a look whether the peer
// still lives.
//
//   ucx::Patience patience(absl::Seconds(10), {.stop = &stop, .liveness = {&LookAtPeer,
//   &connection}}); while (!done) { worker.Progress(); if (!patience.Spin()) return
//   patience.verdict(); }
//
// A spin costs a counter; the clock is read on every 64th and the peer looked at once per
// millisecond. One Patience serves one wait (or several waits that share one deadline).
#ifndef RDMALAB_ENGINE_UCX_PATIENCE_H_
#define RDMALAB_ENGINE_UCX_PATIENCE_H_

#include <atomic>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace rdmalab::ucx {

// A plain function, so that a wait allocates nothing. It returns OK while the peer lives and does
// not block.
struct Liveness {
  absl::Status (*look)(void* self) = nullptr;
  void* self = nullptr;
};

struct PatienceOptions {
  const std::atomic<bool>* stop = nullptr;  // set by a signal: the wait ends as Cancelled
  Liveness liveness = {};
};

class Patience {
 public:
  using Options = PatienceOptions;

  // `limit` from now on, by the monotonic clock. Zero or less: over at the first look.
  explicit Patience(absl::Duration limit, const Options& options = {});

  // Once per turn of a wait. False: the wait is over, see verdict().
  bool Spin() { return (++spins_ & kSpinsBetweenLooks) != 0 || Look(); }

  // DeadlineExceeded, Cancelled (stop), or what the liveness look said; OK while patience lasts.
  const absl::Status& verdict() const { return verdict_; }

  // Time that is left, never below zero.
  absl::Duration Left() const;

 private:
  static constexpr uint64_t kSpinsBetweenLooks =
      63;  // a mask: reading the clock each turn would cost more than a turn

  bool Look();

  uint64_t spins_ = 0;
  int64_t limit_ns_;
  int64_t deadline_ns_;
  int64_t next_liveness_ns_ = 0;
  const std::atomic<bool>* stop_;
  Liveness liveness_;
  absl::Status verdict_;
};

}  // namespace rdmalab::ucx

#endif  // RDMALAB_ENGINE_UCX_PATIENCE_H_
