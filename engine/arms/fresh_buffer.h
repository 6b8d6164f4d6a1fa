// A buffer that is allocated for one get, as a program does that returns owned memory: from malloc
// when small, from the kernel page by page when large. The boundary is glibc's own before it
// adapts itself (it would raise it to 32 MiB after the first free, and the page faults that are to
// be measured would be gone from the second get on).
#ifndef RDMALAB_ENGINE_ARMS_FRESH_BUFFER_H_
#define RDMALAB_ENGINE_ARMS_FRESH_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "engine/base/aligned_buffer.h"

namespace rdmalab {

class FreshBuffer {
 public:
  static constexpr size_t kFromKernel = 128 * 1024;

  // ResourceExhausted when there is no memory.
  static absl::StatusOr<FreshBuffer> Create(size_t bytes);

  absl::Span<uint8_t> span() const;

 private:
  struct Free {
    void operator()(uint8_t* data) const;
  };

  FreshBuffer() = default;

  size_t bytes_ = 0;
  std::unique_ptr<uint8_t, Free> small_;
  std::optional<AlignedBuffer> large_;
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_ARMS_FRESH_BUFFER_H_
