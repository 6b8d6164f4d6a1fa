// Memory straight from the kernel: page aligned, its pages touched only by whoever uses them.
//
// A fresh buffer per get pays for its page faults; one that is kept pays once. Which is meant is
// the caller's choice.
#ifndef RDMALAB_ENGINE_BASE_ALIGNED_BUFFER_H_
#define RDMALAB_ENGINE_BASE_ALIGNED_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace rdmalab {

class AlignedBuffer {
 public:
  struct Options {
    size_t bytes = 0;
    bool populate = false;  // fault all pages in now
    bool huge_pages =
        false;  // from the kernel's reserved 2 MiB pages; ResourceExhausted when there are too few
  };

  // InvalidArgument for 0 bytes, ResourceExhausted when the kernel has no memory.
  static absl::StatusOr<AlignedBuffer> Create(const Options& options);

  AlignedBuffer(AlignedBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        bytes_(std::exchange(other.bytes_, 0)),
        mapped_bytes_(std::exchange(other.mapped_bytes_, 0)) {}
  AlignedBuffer& operator=(AlignedBuffer&& other) noexcept;
  ~AlignedBuffer();

  uint8_t* data() const { return data_; }
  size_t size() const { return bytes_; }
  // What the kernel gave: size() rounded up to whole pages.
  size_t mapped_bytes() const { return mapped_bytes_; }
  absl::Span<uint8_t> span() const { return absl::MakeSpan(data_, bytes_); }

 private:
  AlignedBuffer(uint8_t* data, size_t bytes, size_t mapped_bytes)
      : data_(data), bytes_(bytes), mapped_bytes_(mapped_bytes) {}

  uint8_t* data_;
  size_t bytes_;
  size_t mapped_bytes_;
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_BASE_ALIGNED_BUFFER_H_
