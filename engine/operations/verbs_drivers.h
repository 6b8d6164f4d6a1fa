// What posts and drains over a queue pair, for the loops of driver_loops.h.
#ifndef RDMALAB_ENGINE_OPERATIONS_VERBS_DRIVERS_H_
#define RDMALAB_ENGINE_OPERATIONS_VERBS_DRIVERS_H_

#include <atomic>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "engine/verbs/poster.h"
#include "engine/verbs/status.h"

namespace rdmalab {

// The word into which the receiver of a SEND writes how many receives it has posted.
struct alignas(64) CreditMailbox {
  std::atomic<uint64_t> posted{0};
};

template <ibv_wr_opcode kOpcode, bool kInline>
class VerbsDriver {
 public:
  // `mailbox` counts only for sends. `name` is the queue pair's, for messages.
  VerbsDriver(const verbs::PosterOptions& options, ibv_cq* completions,
              const CreditMailbox& mailbox, std::string name)
      : poster_(options), drainer_(completions), mailbox_(mailbox), name_(std::move(name)) {}

  uint64_t Room(uint64_t posted) const {
    if constexpr (kOpcode == IBV_WR_SEND) {
      return mailbox_.posted.load(std::memory_order_relaxed) - posted;
    }
    return std::numeric_limits<uint64_t>::max();
  }

  void Post(uint64_t first, uint64_t count, bool signal_last) {
    if (!failure_.ok()) return;
    const int error = poster_.Post(first, count, signal_last);
    if (error != 0) [[unlikely]] {
      failure_ = verbs::ErrnoToStatus(error, "ibv_post_send", name_);
    }
  }

  uint64_t Poll() { return drainer_.Poll(); }

  const absl::Status& failure() {
    if (failure_.ok() && drainer_.failed()) [[unlikely]] {
      failure_ = drainer_.poll_error() != 0
                     ? verbs::ErrnoToStatus(drainer_.poll_error(), "ibv_poll_cq", name_)
                     : verbs::CompletionToStatus(drainer_.status(), drainer_.vendor_error(), name_);
    }
    return failure_;
  }

 private:
  verbs::Poster<kOpcode, kInline> poster_;
  verbs::Drainer drainer_;
  const CreditMailbox& mailbox_;
  const std::string name_;
  absl::Status failure_;
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_OPERATIONS_VERBS_DRIVERS_H_
