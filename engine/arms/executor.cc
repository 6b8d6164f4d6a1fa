#include "engine/arms/executor.h"

namespace rdmalab {

ThreadExecutor::ThreadExecutor(absl::Duration spin, const Clock& clock)
    : spin_ns_(absl::ToInt64Nanoseconds(spin)), clock_(clock), thread_([this] { Loop(); }) {}

ThreadExecutor::~ThreadExecutor() {
  Set(kQuit);
  thread_.join();
}

void ThreadExecutor::Run(absl::FunctionRef<void()> work) {
  work_ = &work;
  Set(kPosted);
  WaitWhile(kPosted);
  state_.store(kIdle, std::memory_order_relaxed);
}

void ThreadExecutor::Loop() {
  while (true) {
    uint32_t state = WaitWhile(kIdle);
    if (state == kDone) state = WaitWhile(kDone);  // the caller has not taken the result yet
    if (state == kQuit) return;
    if (state != kPosted) continue;
    (*work_)();
    Set(kDone);
  }
}

uint32_t ThreadExecutor::WaitWhile(uint32_t state) const {
  const int64_t until_ns = clock_.Now() + spin_ns_;
  uint32_t now = state_.load(std::memory_order_acquire);
  while (now == state && clock_.Now() < until_ns) now = state_.load(std::memory_order_acquire);
  while (now == state) {
    state_.wait(state, std::memory_order_acquire);
    now = state_.load(std::memory_order_acquire);
  }
  return now;
}

void ThreadExecutor::Set(State state) {
  state_.store(state, std::memory_order_release);
  state_.notify_all();
}

}  // namespace rdmalab
