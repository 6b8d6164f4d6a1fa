// Progress lines on stdout for the tool's bar: at most ten a second, and never inside a timed part.
//
// Whoever measures calls Report between repetitions; the last one (done == of) is always written.
#ifndef RDMALAB_ENGINE_RESULTS_PROGRESS_H_
#define RDMALAB_ENGINE_RESULTS_PROGRESS_H_

#include <cstdint>
#include <optional>

#include "engine/base/clock.h"

namespace rdmalab {

class Progress {
 public:
  struct Position {
    int64_t done = 0;
    int64_t of = 0;
    int block = 0;
    int cell = 0;
  };

  // `fd` stays the caller's. Nobody reading it any more is no error: the run goes on.
  Progress(const Clock& clock, int fd) : clock_(clock), fd_(fd) {}

  void Report(const Position& position);

 private:
  Clock clock_;
  int fd_;
  std::optional<int64_t> last_ns_;
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_RESULTS_PROGRESS_H_
