#include "engine/rendezvous/lease_table.h"

#include <algorithm>

namespace rdmalab {
namespace {

// More than one consumer ever holds; the vector then never grows while a get is served.
constexpr size_t kReservedLeases = 64;

}  // namespace

LeaseTable::LeaseTable(int64_t duration_ns) : duration_ns_(duration_ns) {
  leases_.reserve(kReservedLeases);
}

ReadLease LeaseTable::Grant(uint32_t slot, uint64_t generation, int64_t now_ns) {
  leases_.push_back({.id = next_id_++,
                     .slot = slot,
                     .generation = generation,
                     .expires_ns = now_ns + duration_ns_});
  return leases_.back();
}

const ReadLease* LeaseTable::Find(uint64_t id, uint64_t generation, int64_t now_ns) const {
  for (const ReadLease& lease : leases_) {
    if (lease.id != id) continue;
    return lease.generation == generation && now_ns < lease.expires_ns ? &lease : nullptr;
  }
  return nullptr;
}

bool LeaseTable::Renew(uint64_t id, uint64_t generation, int64_t now_ns) {
  if (Find(id, generation, now_ns) == nullptr) return false;
  for (ReadLease& lease : leases_) {
    if (lease.id == id) lease.expires_ns = now_ns + duration_ns_;
  }
  return true;
}

bool LeaseTable::End(uint64_t id, uint64_t generation, int64_t now_ns) {
  if (Find(id, generation, now_ns) == nullptr) return false;
  std::erase_if(leases_, [id](const ReadLease& lease) { return lease.id == id; });
  return true;
}

size_t LeaseTable::Reap(int64_t now_ns) {
  return std::erase_if(leases_,
                       [now_ns](const ReadLease& lease) { return now_ns >= lease.expires_ns; });
}

size_t LeaseTable::OnSlot(uint32_t slot) const {
  return static_cast<size_t>(
      std::count_if(leases_.begin(), leases_.end(),
                    [slot](const ReadLease& lease) { return lease.slot == slot; }));
}

}  // namespace rdmalab
