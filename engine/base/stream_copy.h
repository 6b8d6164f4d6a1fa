// Copies parts of a payload that is too large for the caches. memcpy decides by the length of one
// part whether its stores go past the caches; for a payload that is copied piece by piece it never
// would, and would first read every line of the destination that it is about to overwrite.
#ifndef RDMALAB_ENGINE_BASE_STREAM_COPY_H_
#define RDMALAB_ENGINE_BASE_STREAM_COPY_H_

#include <cstddef>

namespace rdmalab {

class StreamCopy {
 public:
  // For the parts of a payload of `total_bytes`: past the caches if it and its source together are
  // larger than the last-level cache.
  explicit StreamCopy(size_t total_bytes);

  // Like memcpy. Stores are globally visible when it returns.
  void operator()(void* to, const void* from, size_t bytes) const;

 private:
  bool past_caches_;
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_BASE_STREAM_COPY_H_
