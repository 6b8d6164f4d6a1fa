// What one cell asks of the two sides, in this room's own words: engine/run translates the plan.
#ifndef RDMALAB_ENGINE_OPERATIONS_CELL_SPEC_H_
#define RDMALAB_ENGINE_OPERATIONS_CELL_SPEC_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/time/time.h"

namespace rdmalab {

// What the consumer does to the owner. kRead brings the owner's bytes, the others leave bytes
// there.
enum class RemoteOperation { kRead, kWrite, kSend };

struct CellSpec {
  // A completion for each half window keeps the queue fed; one for each message costs half the
  // rate.
  static constexpr int kMostUnsignalled = 64;
  // Longer lists gain nothing once a doorbell is spread over thirty requests.
  static constexpr int kLongestPostList = 32;

  RemoteOperation op = RemoteOperation::kWrite;
  bool latency = false;  // one by one with a time for each; window is 1 then
  size_t size_bytes = 1;
  uint64_t window = 1;      // operations in flight
  uint64_t recv_depth = 1;  // posted receives, at least the window
  uint64_t iterations = 0;  // 0: as many as the duration holds
  absl::Duration duration = absl::Milliseconds(300);
  int signal_every_asked = 0;
  size_t inline_bytes = 0;
  int post_list_asked = 0;
  size_t working_set_bytes = 0;

  uint64_t signal_every() const {
    if (signal_every_asked > 0) return static_cast<uint64_t>(signal_every_asked);
    return std::clamp<uint64_t>(window / 2, 1, kMostUnsignalled);
  }
  uint64_t post_list() const {
    return post_list_asked > 0 ? static_cast<uint64_t>(post_list_asked) : kLongestPostList;
  }
  bool inlined() const { return op != RemoteOperation::kRead && size_bytes <= inline_bytes; }
  // Receives that one credit stands for: often enough that the sender never waits for one.
  uint64_t credit_every() const {
    return std::max<uint64_t>(1, std::min(recv_depth / 4, window / 2));
  }
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_OPERATIONS_CELL_SPEC_H_
