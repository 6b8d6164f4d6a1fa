#include "engine/base/stop_signal.h"

#include <signal.h>

#include "absl/strings/str_cat.h"

namespace rdmalab {

std::atomic<bool> StopSignal::requested_ = false;
std::atomic<int> StopSignal::signal_ = 0;

static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free,
              "the handler may only touch what needs no lock");

void StopSignal::OnSignal(int signal) {
  signal_.store(signal, std::memory_order_relaxed);
  requested_.store(true, std::memory_order_relaxed);
}

void StopSignal::Install() {
  struct sigaction stop = {};
  stop.sa_handler = &StopSignal::OnSignal;
  sigemptyset(&stop.sa_mask);
  sigaction(SIGTERM, &stop, nullptr);
  sigaction(SIGINT, &stop, nullptr);

  struct sigaction ignore = {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, nullptr);
}

absl::Status StopSignal::Check() {
  if (!Requested()) return absl::OkStatus();
  const int signal = signal_.load(std::memory_order_relaxed);
  return absl::CancelledError(absl::StrCat("stopped by ", signal == SIGINT ? "SIGINT" : "SIGTERM"));
}

void StopSignal::Reset() {
  requested_.store(false, std::memory_order_relaxed);
  signal_.store(0, std::memory_order_relaxed);
}

}  // namespace rdmalab
