// A range of anonymous memory of its own: what arenas and plain buffers are made of.
#ifndef RDMALAB_ENGINE_MEMORY_ANONYMOUS_MEMORY_H_
#define RDMALAB_ENGINE_MEMORY_ANONYMOUS_MEMORY_H_

#include <cstddef>
#include <memory>
#include <utility>

#include "absl/status/statusor.h"

namespace rdmalab {

struct MemoryOptions {
  // Huge pages (2 MiB on x86-64) of the kernel's reserved pool; ResourceExhausted says how many are
  // missing.
  bool huge_pages = false;
  // Touch every page now, so that no page fault falls into a timed part.
  bool prefault = false;
};

class AnonymousMemory {
 public:
  // Zeroed memory of at least `bytes`, rounded up to whole (huge) pages.
  static absl::StatusOr<AnonymousMemory> Create(size_t bytes, const MemoryOptions& options);

  ~AnonymousMemory();
  AnonymousMemory(AnonymousMemory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  AnonymousMemory& operator=(AnonymousMemory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }

  std::byte* data() const { return data_; }
  size_t bytes() const { return bytes_; }

 private:
  AnonymousMemory(std::byte* data, size_t bytes) : data_(data), bytes_(bytes) {}

  std::byte* data_;
  size_t bytes_;
};

// Of the running kernel: 4 KiB on x86-64, 64 KiB on many aarch64 nodes.
size_t KernelPageBytes();
// The default huge page of the running kernel; 0 when it has none.
size_t HugePageBytes();

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_MEMORY_ANONYMOUS_MEMORY_H_
