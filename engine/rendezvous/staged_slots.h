// The owner's payloads: one slot per cell, staged for a block outside the timed part, in pinned
// memory or in plain memory, each with a fresh generation and, where it may be read by RDMA, with
// its descriptor ready.
#ifndef RDMALAB_ENGINE_RENDEZVOUS_STAGED_SLOTS_H_
#define RDMALAB_ENGINE_RENDEZVOUS_STAGED_SLOTS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "engine/base/aligned_buffer.h"
#include "engine/memory/arena_pool.h"
#include "engine/rendezvous/reasons.h"

namespace rdmalab {

// What the arm of a slot says about offering RDMA.
struct OfferPolicy {
  bool rdma = true;        // false: the arm asks for the chunked path
  uint64_t min_bytes = 0;  // smaller payloads are never offered
  bool kill_switch = false;
};

struct SlotRequest {
  uint32_t slot = 0;
  size_t bytes = 0;
  bool pinned = true;
  OfferPolicy policy;
};

class StagedSlots {
 public:
  struct Slot {
    SlotRequest request;
    StagingReason reason = StagingReason::kOk;
    uint64_t generation = 0;
    absl::Span<uint8_t> payload;
    std::vector<uint8_t> descriptor;  // empty when the payload cannot be read by RDMA

    bool pinned() const { return static_cast<bool>(arena); }

    Lease arena;
    std::optional<AlignedBuffer> plain;
  };

  // Writes the payload of a slot.
  using Fill = std::function<void(uint32_t slot, absl::Span<uint8_t> payload)>;

  // `pool` outlives the slots.
  explicit StagedSlots(ArenaPool& pool) : pool_(pool) {}

  // Stages exactly these. Slots that stay keep their memory and get a new payload and generation;
  // others are given back first, so that the registered-bytes budget is what one block needs.
  // A pinned slot beyond the budget is staged plain, with the reason.
  absl::Status Stage(absl::Span<const SlotRequest> requests, const Fill& fill);

  const Slot* Find(uint32_t slot) const;
  void Clear() { slots_.clear(); }

 private:
  absl::Status StageOne(const SlotRequest& request, const Fill& fill);
  absl::Status Allocate(Slot& slot);
  absl::Status Describe(Slot& slot);

  ArenaPool& pool_;
  uint64_t next_generation_ = 1;
  std::map<uint32_t, Slot> slots_;
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_RENDEZVOUS_STAGED_SLOTS_H_
