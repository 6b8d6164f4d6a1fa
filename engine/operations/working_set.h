// The memory that the messages of a cell walk through, so that not every one hits the same cache
// lines: slots of one message each, message i in slot i modulo their number, on both sides. In
// order delivery makes that true of receives as well.
//
// The bytes of a slot depend on seed, cell, slot and repetition, so that what is there afterwards
// must have come in this repetition, to this place. Filled, poisoned and checked outside the timed
// part.
#ifndef RDMALAB_ENGINE_OPERATIONS_WORKING_SET_H_
#define RDMALAB_ENGINE_OPERATIONS_WORKING_SET_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "engine/memory/operation_memory.h"

namespace rdmalab {

class WorkingSet {
 public:
  // Slots start at a cache line: an adapter writes whole ones.
  static constexpr size_t kAlignment = 64;

  struct Identity {
    uint64_t seed = 0;
    uint64_t cell = 0;
    uint64_t rep = 0;
  };

  // At least one slot; `asked_bytes` of them otherwise, rounded down.
  WorkingSet(size_t message_bytes, size_t asked_bytes)
      : message_bytes_(message_bytes),
        stride_((message_bytes + kAlignment - 1) / kAlignment * kAlignment),
        slots_(std::max<uint64_t>(1, asked_bytes / stride_)) {}

  size_t message_bytes() const { return message_bytes_; }
  size_t stride() const { return stride_; }
  uint64_t slots() const { return slots_; }
  size_t bytes() const { return stride_ * slots_; }
  size_t OffsetOf(uint64_t message) const { return message % slots_ * stride_; }

  // The source: each slot its pattern. What the device's memory refused, if anything.
  absl::Status Fill(OperationMemory& memory, const Identity& identity) const;
  // The destination: each byte of each slot the complement of what is due.
  absl::Status Poison(OperationMemory& memory, const Identity& identity) const;
  // DataLoss with slot, offset, expected and seen of the first wrong byte of the slots that
  // `messages` messages have reached.
  absl::Status Verify(OperationMemory& memory, const Identity& identity, uint64_t messages) const;

 private:
  template <typename Touch>
  absl::Status EachSlot(OperationMemory& memory, Touch touch) const;
  // Slots that are worked on at a time: device memory is brought over in such pieces.
  uint64_t SlotsPerPiece() const;

  size_t message_bytes_;
  size_t stride_;
  uint64_t slots_;
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_OPERATIONS_WORKING_SET_H_
