// What ends a wait other than its success: a deadline, a stop flag, and a look whether the peer
// still lives.
//
//   ucx::Patience patience(deadline, {.liveness = {&LookAtPeer, &connection}});
//   while (!done) {
//     worker.Progress();
//     if (!patience.Spin()) return patience.verdict();
//   }
//
// A spin costs a counter; the clock is read on every 64th, and the peer looked at once per
// millisecond. One Patience serves one wait, or several in a row that share the deadline.
#ifndef RDMALAB_ENGINE_UCX_PATIENCE_H_
#define RDMALAB_ENGINE_UCX_PATIENCE_H_

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "engine/base/deadline.h"

namespace rdmalab::ucx {

// A plain function, so that a wait allocates nothing. It returns OK while the peer lives and does
// not block.
struct Liveness {
  absl::Status (*look)(void* self) = nullptr;
  void* self = nullptr;
};

struct PatienceOptions {
  Liveness liveness = {};
  // SIGTERM and SIGINT end the wait; not so while tearing down, which they asked for.
  bool heed_stop_signal = true;
};

class Patience {
 public:
  using Options = PatienceOptions;

  explicit Patience(const Deadline& deadline, const Options& options = {})
      : deadline_(deadline), options_(options) {}

  // Once per turn of a wait. False: the wait is over, see verdict().
  bool Spin() { return (++spins_ & kSpinMask) != 0 || Look(); }

  // DeadlineExceeded, Cancelled (stop signal), or what the liveness look said; OK while patience
  // lasts.
  const absl::Status& verdict() const { return verdict_; }

  const Deadline& deadline() const { return deadline_; }

 private:
  // 63 of 64 spins read no clock: a read would cost as much as an idle turn on shared memory.
  static constexpr uint64_t kSpinMask = 63;
  // A look at a TCP connection is a system call of about 1 us.
  static constexpr absl::Duration kBetweenLooks = absl::Milliseconds(1);

  bool Look();

  uint64_t spins_ = 0;
  Deadline deadline_;
  Options options_;
  std::optional<Deadline> next_look_;
  absl::Status verdict_;
};

}  // namespace rdmalab::ucx

#endif  // RDMALAB_ENGINE_UCX_PATIENCE_H_
