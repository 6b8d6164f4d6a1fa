// A GPU's memory as operations use it. The CPU's view of a part of it is a copy.
#ifndef RDMALAB_ENGINE_MEMORY_CUDA_MEMORY_H_
#define RDMALAB_ENGINE_MEMORY_CUDA_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/base/file_descriptor.h"
#include "engine/memory/cuda_driver.h"
#include "engine/memory/operation_memory.h"

namespace rdmalab {

class CudaMemory : public OperationMemory {
 public:
  // From cuMemAlloc, in whole 64 KiB pages of the GPU; with a dma-buf where the driver exports one.
  static absl::StatusOr<std::unique_ptr<CudaMemory>> Create(
      std::shared_ptr<const CudaDriver> driver, size_t bytes);
  ~CudaMemory() override;
  CudaMemory(const CudaMemory&) = delete;
  CudaMemory& operator=(const CudaMemory&) = delete;

  // A device address: what an adapter is given, nothing that the CPU can use.
  uint8_t* address() const override { return reinterpret_cast<uint8_t*>(pointer_); }
  size_t bytes() const override { return bytes_; }
  bool on_host() const override { return false; }
  std::optional<int> dma_buf() const override {
    return dma_buf_.valid() ? std::optional<int>(dma_buf_.get()) : std::nullopt;
  }
  absl::Status Edit(size_t offset, size_t bytes,
                    absl::FunctionRef<void(absl::Span<uint8_t>)> change) override;
  absl::Status Look(size_t offset, size_t bytes,
                    absl::FunctionRef<absl::Status(absl::Span<const uint8_t>)> look) override;

 private:
  CudaMemory(std::shared_ptr<const CudaDriver> driver, CudaDriver::DevicePointer pointer,
             size_t bytes)
      : driver_(std::move(driver)), pointer_(pointer), bytes_(bytes) {}

  absl::Status Bring(size_t offset, size_t bytes);

  std::shared_ptr<const CudaDriver> driver_;
  CudaDriver::DevicePointer pointer_;
  size_t bytes_;
  FileDescriptor dma_buf_;
  std::vector<uint8_t> copy_;
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_MEMORY_CUDA_MEMORY_H_
