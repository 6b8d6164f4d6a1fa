#include "engine/rendezvous/staged_slots.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/base/status.h"
#include "engine/rendezvous/descriptor.h"

namespace rdmalab {

absl::Status StagedSlots::Stage(absl::Span<const SlotRequest> requests, const Fill& fill) {
  std::set<uint32_t> wanted;
  for (const SlotRequest& request : requests) wanted.insert(request.slot);
  std::erase_if(slots_, [&wanted](const auto& slot) { return !wanted.contains(slot.first); });
  for (const SlotRequest& request : requests) {
    RETURN_IF_ERROR(
        WithContext(StageOne(request, fill), absl::StrCat("staging slot ", request.slot)));
  }
  return absl::OkStatus();
}

absl::Status StagedSlots::StageOne(const SlotRequest& request, const Fill& fill) {
  Slot& slot = slots_[request.slot];
  const bool same_memory = slot.payload.size() == request.bytes &&
                           slot.request.pinned == request.pinned &&
                           slot.request.policy.kill_switch == request.policy.kill_switch;
  if (!same_memory) {
    slot = Slot{};
    slot.request = request;
    RETURN_IF_ERROR(Allocate(slot));
  }
  slot.request = request;
  slot.generation = next_generation_++;
  fill(request.slot, slot.payload);
  return Describe(slot);
}

absl::Status StagedSlots::Allocate(Slot& slot) {
  const size_t bytes = slot.request.bytes;
  if (slot.request.pinned && !slot.request.policy.kill_switch) {
    absl::StatusOr<Lease> arena = pool_.Take(bytes);
    if (arena.ok()) {
      slot.arena = *std::move(arena);
      slot.payload = absl::MakeSpan(slot.arena.data(), bytes);
      return absl::OkStatus();
    }
    if (!IsOverBudget(arena.status())) return arena.status();
    slot.reason = StagingReason::kBudget;
  } else if (slot.request.pinned) {
    slot.reason = StagingReason::kKillSwitch;
  }
  ASSIGN_OR_RETURN(slot.plain, AlignedBuffer::Create({.bytes = bytes, .populate = true}));
  slot.payload = slot.plain->span();
  return absl::OkStatus();
}

absl::Status StagedSlots::Describe(Slot& slot) {
  slot.descriptor.clear();
  if (!slot.pinned()) return absl::OkStatus();
  const absl::string_view key = slot.arena.registration().packed_key();
  if (key.empty()) return absl::OkStatus();  // no memory domain gives one: no offer
  slot.descriptor.resize(kDescriptorHeaderBytes + key.size());
  const Descriptor descriptor{.generation = slot.generation,
                              .address = slot.arena.address(),
                              .length = slot.request.bytes,
                              .key = {reinterpret_cast<const uint8_t*>(key.data()), key.size()}};
  return EncodeDescriptor(descriptor, absl::MakeSpan(slot.descriptor)).status();
}

const StagedSlots::Slot* StagedSlots::Find(uint32_t slot) const {
  const auto found = slots_.find(slot);
  return found == slots_.end() ? nullptr : &found->second;
}

}  // namespace rdmalab
