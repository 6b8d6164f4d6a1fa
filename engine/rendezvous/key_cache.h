// Unpacked remote keys of one endpoint, found again by their packed bytes: all slots of an owner's
// arena share one key, so unpacking (microseconds) is paid once per arena, not per get.
//
// A key is only looked up with the bytes of a descriptor that the owner has just given under a live
// lease, so a key of memory that is gone is never used.
#ifndef RDMALAB_ENGINE_RENDEZVOUS_KEY_CACHE_H_
#define RDMALAB_ENGINE_RENDEZVOUS_KEY_CACHE_H_

#include <cstddef>
#include <deque>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "engine/ucx/endpoint.h"
#include "engine/ucx/remote_key.h"

namespace rdmalab {

class KeyCache {
 public:
  // `endpoint` outlives the cache.
  explicit KeyCache(const ucx::Endpoint& endpoint) : endpoint_(endpoint) {}

  // Valid until the next call.
  absl::StatusOr<const ucx::RemoteKey*> Find(absl::string_view packed);

 private:
  struct Entry {
    std::string packed;
    ucx::RemoteKey key;
  };

  // An owner has a handful of arenas; beyond this the oldest is dropped.
  static constexpr size_t kCapacity = 64;

  const ucx::Endpoint& endpoint_;
  std::deque<Entry> entries_;
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_RENDEZVOUS_KEY_CACHE_H_
