#include "engine/operations/working_set.h"

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "engine/base/status.h"
#include "engine/verification/payload.h"

namespace rdmalab {
namespace {

constexpr size_t kPieceBytes = size_t{1} << 20;

Payload PayloadOf(const WorkingSet::Identity& identity, uint64_t slot) {
  return Payload({.seed = identity.seed, .slot = identity.cell << 40 | slot, .rep = identity.rep});
}

}  // namespace

uint64_t WorkingSet::SlotsPerPiece() const { return std::max<uint64_t>(1, kPieceBytes / stride_); }

template <typename Touch>
absl::Status WorkingSet::EachSlot(OperationMemory& memory, Touch touch) const {
  for (uint64_t first = 0; first < slots_; first += SlotsPerPiece()) {
    const uint64_t count = std::min(SlotsPerPiece(), slots_ - first);
    RETURN_IF_ERROR(memory.Edit(first * stride_, count * stride_, [&](absl::Span<uint8_t> piece) {
      for (uint64_t i = 0; i < count; ++i) {
        touch(first + i, piece.subspan(i * stride_, message_bytes_));
      }
    }));
  }
  return absl::OkStatus();
}

absl::Status WorkingSet::Fill(OperationMemory& memory, const Identity& identity) const {
  return EachSlot(memory, [&identity](uint64_t slot, absl::Span<uint8_t> bytes) {
    PayloadOf(identity, slot).Fill(bytes);
  });
}

absl::Status WorkingSet::Poison(OperationMemory& memory, const Identity& identity) const {
  return EachSlot(memory, [&identity](uint64_t slot, absl::Span<uint8_t> bytes) {
    PayloadOf(identity, slot).Poison(bytes);
  });
}

absl::Status WorkingSet::Verify(OperationMemory& memory, const Identity& identity,
                                uint64_t messages) const {
  const uint64_t reached = std::min(slots_, messages);
  for (uint64_t first = 0; first < reached; first += SlotsPerPiece()) {
    const uint64_t count = std::min(SlotsPerPiece(), reached - first);
    const auto look = [&](absl::Span<const uint8_t> piece) -> absl::Status {
      for (uint64_t i = 0; i < count; ++i) {
        const absl::Status right =
            PayloadOf(identity, first + i).Verify(piece.subspan(i * stride_, message_bytes_));
        if (!right.ok()) return WithContext(right, absl::StrCat("slot ", first + i));
      }
      return absl::OkStatus();
    };
    RETURN_IF_ERROR(memory.Look(first * stride_, count * stride_, look));
  }
  return absl::OkStatus();
}

}  // namespace rdmalab
