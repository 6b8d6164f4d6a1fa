// Who does a get's work: the calling thread, or a progress thread of its own. In the second case
// the caller spins for a while and then parks, and so does the thread between two gets: what a
// design with a progress thread costs in hand-overs is part of the measured time.
#ifndef RDMALAB_ENGINE_ARMS_EXECUTOR_H_
#define RDMALAB_ENGINE_ARMS_EXECUTOR_H_

#include <atomic>
#include <cstdint>
#include <thread>

#include "absl/functional/function_ref.h"
#include "absl/time/time.h"
#include "engine/base/clock.h"

namespace rdmalab {

class Executor {
 public:
  virtual ~Executor() = default;
  // Runs `work` and returns when it is done. Allocates nothing.
  virtual void Run(absl::FunctionRef<void()> work) = 0;
};

class InlineExecutor : public Executor {
 public:
  void Run(absl::FunctionRef<void()> work) override { work(); }
};

class ThreadExecutor : public Executor {
 public:
  // Both sides of a hand-over spin for `spin`, then sleep in the kernel until they are woken.
  ThreadExecutor(absl::Duration spin, const Clock& clock);
  ~ThreadExecutor() override;

  void Run(absl::FunctionRef<void()> work) override;

 private:
  enum State : uint32_t { kIdle, kPosted, kDone, kQuit };

  void Loop();
  // Waits until the state is no longer `state`; returns what it is then.
  uint32_t WaitWhile(uint32_t state) const;
  void Set(State state);

  const int64_t spin_ns_;
  const Clock clock_;
  std::atomic<uint32_t> state_{kIdle};
  const absl::FunctionRef<void()>* work_ = nullptr;
  std::thread thread_;
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_ARMS_EXECUTOR_H_
