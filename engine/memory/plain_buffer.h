// Memory without a registration: plain staging, and the destination that a get() copies into.
#ifndef RDMALAB_ENGINE_MEMORY_PLAIN_BUFFER_H_
#define RDMALAB_ENGINE_MEMORY_PLAIN_BUFFER_H_

#include <cstddef>
#include <utility>

#include "absl/status/statusor.h"
#include "engine/memory/anonymous_memory.h"

namespace rdmalab {

class PlainBuffer {
 public:
  // Page aligned and always from the kernel, never from malloc's free lists: a fresh buffer has
  // fresh pages, so its page faults are counted and equal from get to get (destination: fresh).
  static absl::StatusOr<PlainBuffer> Create(size_t bytes, const MemoryOptions& options = {});

  std::byte* data() const { return memory_.data(); }
  size_t bytes() const { return bytes_; }  // as asked

 private:
  PlainBuffer(AnonymousMemory memory, size_t bytes) : memory_(std::move(memory)), bytes_(bytes) {}

  AnonymousMemory memory_;
  size_t bytes_;
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_MEMORY_PLAIN_BUFFER_H_
