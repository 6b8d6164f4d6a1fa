// The owner's leases: who may still read which slot, until when. A consumer that dies or forgets
// holds a slot no longer than its lease; whatever arrives later under that lease is stale.
// Used by OwnerService on one thread; time is a parameter (nanoseconds of the engine's clock).
#ifndef RDMALAB_ENGINE_RENDEZVOUS_LEASE_TABLE_H_
#define RDMALAB_ENGINE_RENDEZVOUS_LEASE_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rdmalab {

struct ReadLease {
  uint64_t id = 0;  // never used twice in a process
  uint32_t slot = 0;
  uint64_t generation = 0;  // of the slot's payload when it was granted
  int64_t expires_ns = 0;
};

class LeaseTable {
 public:
  explicit LeaseTable(int64_t duration_ns);

  ReadLease Grant(uint32_t slot, uint64_t generation, int64_t now_ns);

  // The lease, if it is alive and of that generation. A lease past its time is gone even before the
  // reaper has seen it.
  const ReadLease* Find(uint64_t id, uint64_t generation, int64_t now_ns) const;

  // False when there is nothing left to renew or to end.
  bool Renew(uint64_t id, uint64_t generation, int64_t now_ns);
  bool End(uint64_t id, uint64_t generation, int64_t now_ns);

  // Drops what has expired; returns how many.
  size_t Reap(int64_t now_ns);

  void Clear() { leases_.clear(); }

  // Leases on a slot, expired ones included until they are reaped.
  size_t OnSlot(uint32_t slot) const;
  size_t size() const { return leases_.size(); }
  int64_t duration_ns() const { return duration_ns_; }

 private:
  int64_t duration_ns_;
  uint64_t next_id_ = 1;
  std::vector<ReadLease>
      leases_;  // a consumer holds one or two at a time: a scan is the fastest map
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_RENDEZVOUS_LEASE_TABLE_H_
