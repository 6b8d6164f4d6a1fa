// Which parts of a range are free: first fit, neighbours merged on release. Pure bookkeeping over
// offsets.
#ifndef RDMALAB_ENGINE_MEMORY_FREE_LIST_H_
#define RDMALAB_ENGINE_MEMORY_FREE_LIST_H_

#include <cstddef>
#include <map>
#include <optional>

#include "absl/status/status.h"

namespace rdmalab {

class FreeList {
 public:
  // A range of `bytes`, all free. Sizes and offsets are multiples of `granule`, a power of two.
  FreeList(size_t bytes, size_t granule);

  // The offset of the lowest free part that holds `bytes` (rounded up to granules; 0 takes one
  // granule).
  std::optional<size_t> Take(size_t bytes);

  // Gives back what Take returned. InvalidArgument when nothing was taken at this offset (twice
  // released, or never taken): the list is unchanged then.
  absl::Status Release(size_t offset);

  size_t bytes() const { return bytes_; }
  size_t free_bytes() const { return free_bytes_; }
  size_t largest_free_bytes() const;
  bool unused() const { return taken_.empty(); }

 private:
  size_t RoundUp(size_t bytes) const { return (bytes + granule_ - 1) & ~(granule_ - 1); }

  size_t bytes_;
  size_t granule_;
  size_t free_bytes_;
  std::map<size_t, size_t> free_;   // offset to length, no two adjacent
  std::map<size_t, size_t> taken_;  // offset to length
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_MEMORY_FREE_LIST_H_
