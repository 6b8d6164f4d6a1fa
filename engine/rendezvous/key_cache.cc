#include "engine/rendezvous/key_cache.h"

#include <utility>

#include "absl/strings/string_view.h"
#include "engine/base/status.h"

namespace rdmalab {

absl::StatusOr<const ucx::RemoteKey*> KeyCache::Find(absl::string_view packed) {
  for (const Entry& entry : entries_) {
    if (entry.packed == packed) return &entry.key;
  }
  ASSIGN_OR_RETURN(ucx::RemoteKey key, ucx::RemoteKey::Unpack(endpoint_, packed));
  if (entries_.size() == kCapacity) entries_.pop_front();
  entries_.push_back({.packed = std::string(packed), .key = std::move(key)});
  return &entries_.back().key;
}

}  // namespace rdmalab
