#include "engine/rendezvous/owner_service.h"

namespace rdmalab {

absl::Status OwnerService::Stage(absl::Span<const SlotRequest> requests,
                                 const StagedSlots::Fill& fill) {
  Reap();
  counters_.leases_dropped += leases_.size();
  leases_.Clear();
  return slots_.Stage(requests, fill);
}

OwnerService::Answer OwnerService::Handle(const Request& request) {
  switch (request.kind) {
    case RequestKind::kAcquire:
      return Acquire(request);
    case RequestKind::kPull:
      return Pull(request);
    case RequestKind::kRenew:
      if (!leases_.Renew(request.lease, request.generation, clock_.Now())) return Stale(request);
      ++counters_.leases_renewed;
      break;
    case RequestKind::kDetach:
    case RequestKind::kRelease:
      if (!leases_.End(request.lease, request.generation, clock_.Now())) return Stale(request);
      ++counters_.leases_ended;
      break;
  }
  return {.reply = {.kind = ReplyKind::kDone, .sequence = request.sequence}};
}

Refusal OwnerService::Decide(const StagedSlots::Slot& slot) const {
  const OfferPolicy& policy = slot.request.policy;
  if (policy.kill_switch) return Refusal::kKillSwitch;
  if (slot.request.bytes < policy.min_bytes) return Refusal::kBelowMin;
  if (!policy.rdma) return Refusal::kNotConfigured;
  if (draining_) return Refusal::kDraining;
  if (!slot.pinned()) return Refusal::kNotPinned;
  if (slot.descriptor.empty()) return Refusal::kNoOffer;
  return Refusal::kNone;
}

OwnerService::Answer OwnerService::Acquire(const Request& request) {
  const StagedSlots::Slot* slot = slots_.Find(request.slot);
  if (slot == nullptr || slot->request.bytes != request.length) return Stale(request);
  ++counters_.acquires;
  const Refusal refusal = Decide(*slot);
  ++counters_.offers[static_cast<size_t>(refusal)];
  const ReadLease lease = leases_.Grant(request.slot, slot->generation, clock_.Now());
  const bool rdma = refusal == Refusal::kNone;
  const absl::Span<const uint8_t> data =
      rdma ? absl::MakeConstSpan(slot->descriptor) : absl::Span<const uint8_t>();
  return {.reply = {.kind = rdma ? ReplyKind::kRdma : ReplyKind::kReady,
                    .refusal = refusal,
                    .staging_reason = slot->reason,
                    .pinned = slot->pinned(),
                    .sequence = request.sequence,
                    .lease_ms = static_cast<uint32_t>(leases_.duration_ns() / 1'000'000),
                    .lease = lease.id,
                    .generation = lease.generation,
                    .length = slot->request.bytes,
                    .data_bytes = static_cast<uint32_t>(data.size())},
          .data = data};
}

OwnerService::Answer OwnerService::Pull(const Request& request) {
  const ReadLease* lease = leases_.Find(request.lease, request.generation, clock_.Now());
  const StagedSlots::Slot* slot = lease == nullptr ? nullptr : slots_.Find(lease->slot);
  if (slot == nullptr) return Stale(request);
  const uint64_t bytes = slot->payload.size();
  if (request.length == 0 || request.offset > bytes || request.length > bytes - request.offset) {
    return Stale(request);
  }
  ++counters_.pulls;
  counters_.pulled_bytes += request.length;
  return {.reply = {.kind = ReplyKind::kChunk,
                    .sequence = request.sequence,
                    .lease = request.lease,
                    .generation = request.generation,
                    .offset = request.offset,
                    .length = request.length,
                    .data_bytes = static_cast<uint32_t>(request.length)},
          .data = slot->payload.subspan(request.offset, request.length),
          .registration = slot->pinned() ? &slot->arena.registration() : nullptr};
}

OwnerService::Answer OwnerService::Stale(const Request& request) {
  ++counters_.stale_requests;
  return {.reply = {.kind = ReplyKind::kStale, .sequence = request.sequence}};
}

}  // namespace rdmalab
