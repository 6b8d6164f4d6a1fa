// SIGTERM and SIGINT as a flag that loops look at, so that finished blocks are kept and the end is
// written.
//
// main calls Install() before anything else; loops ask Requested(), waits return
// absl::CancelledError when it is set.
#ifndef RDMALAB_ENGINE_BASE_STOP_SIGNAL_H_
#define RDMALAB_ENGINE_BASE_STOP_SIGNAL_H_

#include <atomic>

#include "absl/status/status.h"

namespace rdmalab {

class StopSignal {
 public:
  // Catches SIGTERM and SIGINT and ignores SIGPIPE (a lost peer is an error of the write instead).
  // Blocking calls are not restarted after the signal, so that poll and read return.
  static void Install();

  static bool Requested() { return requested_.load(std::memory_order_relaxed); }

  // Cancelled, naming the signal, once one has arrived; else OK.
  static absl::Status Check();

  // For tests: forgets a signal.
  static void Reset();

 private:
  static void OnSignal(int signal);

  static std::atomic<bool> requested_;
  static std::atomic<int> signal_;
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_BASE_STOP_SIGNAL_H_
