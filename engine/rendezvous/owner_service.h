// The owner's half of a get: answers each control message, whatever carried it. Knows no transport;
// one thread calls it.
//
//   OwnerService::Answer answer = service.Handle(request);   // reply record, and the data after it
#ifndef RDMALAB_ENGINE_RENDEZVOUS_OWNER_SERVICE_H_
#define RDMALAB_ENGINE_RENDEZVOUS_OWNER_SERVICE_H_

#include <array>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/base/clock.h"
#include "engine/memory/registrar.h"
#include "engine/rendezvous/lease_table.h"
#include "engine/rendezvous/messages.h"
#include "engine/rendezvous/reasons.h"
#include "engine/rendezvous/staged_slots.h"

namespace rdmalab {

struct OwnerCounters {
  uint64_t acquires = 0;
  std::array<uint64_t, kRefusals> offers = {};  // by refusal; kNone: RDMA was offered
  uint64_t pulls = 0;
  uint64_t pulled_bytes = 0;
  uint64_t leases_renewed = 0;
  uint64_t leases_ended = 0;    // by detach or release
  uint64_t leases_expired = 0;  // by the reaper
  uint64_t leases_dropped = 0;  // still there when the next block was staged
  uint64_t stale_requests = 0;  // refused: unknown, expired or of another generation

  // All that a consumer asked for.
  uint64_t requests() const {
    return acquires + pulls + leases_renewed + leases_ended + stale_requests;
  }
};

class OwnerService {
 public:
  struct Answer {
    Reply reply;
    absl::Span<const uint8_t> data = {};  // the descriptor or the chunk; valid until the next Stage
    const Registration* registration = nullptr;  // of the chunk, if it stands in pinned memory
  };

  OwnerService(ArenaPool& pool, absl::Duration lease, const Clock& clock)
      : clock_(clock), slots_(pool), leases_(absl::ToInt64Nanoseconds(lease)) {}

  // The consumer asks for it only when it holds nothing: leases that are left are dropped, counted.
  absl::Status Stage(absl::Span<const SlotRequest> requests, const StagedSlots::Fill& fill);

  Answer Handle(const Request& request);

  // Drops expired leases. Called every few milliseconds.
  void Reap() { counters_.leases_expired += leases_.Reap(clock_.Now()); }

  // No RDMA is offered from now on; what is leased may still be read.
  void Drain() { draining_ = true; }
  // Nobody holds a lease.
  bool Idle() const { return leases_.size() == 0; }
  // After draining: gives the slots back.
  void Clear() { slots_.Clear(); }

  const OwnerCounters& counters() const { return counters_; }

 private:
  Refusal Decide(const StagedSlots::Slot& slot) const;
  Answer Acquire(const Request& request);
  Answer Pull(const Request& request);
  Answer Stale(const Request& request);

  Clock clock_;
  StagedSlots slots_;
  LeaseTable leases_;
  OwnerCounters counters_;
  bool draining_ = false;
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_RENDEZVOUS_OWNER_SERVICE_H_
