// The memory that operations move bytes from and to: on the host, in huge pages, or a GPU's.
//
// The CPU reaches its bytes through Edit and Look, which bring a GPU's over and back; an adapter
// reaches them at address().
#ifndef RDMALAB_ENGINE_MEMORY_OPERATION_MEMORY_H_
#define RDMALAB_ENGINE_MEMORY_OPERATION_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "engine/base/aligned_buffer.h"

namespace rdmalab {

class OperationMemory {
 public:
  virtual ~OperationMemory() = default;

  virtual uint8_t* address() const = 0;
  virtual size_t bytes() const = 0;
  // True where the CPU can load and store at address().
  virtual bool on_host() const = 0;
  // A file descriptor through which an adapter's driver may map this memory, owned by this object;
  // nothing on the host, or where the device's driver offers none.
  virtual std::optional<int> dma_buf() const { return std::nullopt; }

  // Calls `change` with the bytes from `offset` on, and makes what it wrote the memory's.
  virtual absl::Status Edit(size_t offset, size_t bytes,
                            absl::FunctionRef<void(absl::Span<uint8_t>)> change) = 0;
  // Calls `look` with the bytes from `offset` on.
  virtual absl::Status Look(size_t offset, size_t bytes,
                            absl::FunctionRef<absl::Status(absl::Span<const uint8_t>)> look) = 0;
};

class HostMemory : public OperationMemory {
 public:
  struct Options {
    size_t bytes = 0;
    bool huge_pages = false;
  };

  // Its pages are there. ResourceExhausted when the kernel has not as much, or too few huge pages.
  static absl::StatusOr<std::unique_ptr<HostMemory>> Create(const Options& options);

  uint8_t* address() const override { return buffer_.data(); }
  size_t bytes() const override { return buffer_.size(); }
  bool on_host() const override { return true; }
  absl::Status Edit(size_t offset, size_t bytes,
                    absl::FunctionRef<void(absl::Span<uint8_t>)> change) override;
  absl::Status Look(size_t offset, size_t bytes,
                    absl::FunctionRef<absl::Status(absl::Span<const uint8_t>)> look) override;

 private:
  explicit HostMemory(AlignedBuffer buffer) : buffer_(std::move(buffer)) {}

  AlignedBuffer buffer_;
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_MEMORY_OPERATION_MEMORY_H_
