#include "engine/memory/cuda_memory.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/base/status.h"

namespace rdmalab {
namespace {

// A dma-buf covers whole pages of the GPU.
constexpr size_t kGpuPageBytes = size_t{64} << 10;
constexpr int kDmaBufHandle = 1;  // CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD

}  // namespace

absl::StatusOr<std::unique_ptr<CudaMemory>> CudaMemory::Create(
    std::shared_ptr<const CudaDriver> driver, size_t bytes) {
  if (bytes == 0) return absl::InvalidArgumentError("cuMemAlloc(0 bytes)");
  const size_t whole = (bytes + kGpuPageBytes - 1) / kGpuPageBytes * kGpuPageBytes;
  CudaDriver::DevicePointer pointer = 0;
  RETURN_IF_ERROR(driver->ToStatus(
      driver->mem_alloc(&pointer, whole),
      absl::StrCat("cuMemAlloc(", whole, " bytes on ", driver->device_name(), ")")));
  std::unique_ptr<CudaMemory> memory(new CudaMemory(std::move(driver), pointer, bytes));
  int fd = -1;
  const CudaDriver& cuda = *memory->driver_;
  if (cuda.range_handle != nullptr &&
      cuda.range_handle(&fd, pointer, whole, kDmaBufHandle, 0) == 0) {
    memory->dma_buf_ = FileDescriptor(fd);
  }
  return memory;
}

CudaMemory::~CudaMemory() { (void)driver_->mem_free(pointer_); }

absl::Status CudaMemory::Bring(size_t offset, size_t bytes) {
  copy_.resize(bytes);
  return driver_->ToStatus(driver_->copy_to_host(copy_.data(), pointer_ + offset, bytes),
                           "cuMemcpyDtoH");
}

absl::Status CudaMemory::Edit(size_t offset, size_t bytes,
                              absl::FunctionRef<void(absl::Span<uint8_t>)> change) {
  RETURN_IF_ERROR(Bring(offset, bytes));
  change(absl::MakeSpan(copy_));
  return driver_->ToStatus(driver_->copy_to_device(pointer_ + offset, copy_.data(), bytes),
                           "cuMemcpyHtoD");
}

absl::Status CudaMemory::Look(size_t offset, size_t bytes,
                              absl::FunctionRef<absl::Status(absl::Span<const uint8_t>)> look) {
  RETURN_IF_ERROR(Bring(offset, bytes));
  return look(absl::MakeConstSpan(copy_));
}

}  // namespace rdmalab
