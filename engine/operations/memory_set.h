// The memory of one side, by kind: each kind is made when its first cell comes, as large as its
// largest cell, and kept, so that nothing is registered twice.
#ifndef RDMALAB_ENGINE_OPERATIONS_MEMORY_SET_H_
#define RDMALAB_ENGINE_OPERATIONS_MEMORY_SET_H_

#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "engine/memory/cuda_driver.h"
#include "engine/memory/operation_memory.h"

namespace rdmalab {

enum class MemoryPlace { kHost, kHostHuge, kCuda };

class MemorySet {
 public:
  // `largest`: bytes of the largest working set of each kind that will be asked for.
  explicit MemorySet(std::map<MemoryPlace, size_t> largest,
                     std::string cuda_library = CudaDriver::kLibrary)
      : largest_(std::move(largest)), cuda_library_(std::move(cuda_library)) {}

  // Unimplemented for cuda on a machine without a GPU; ResourceExhausted where the kernel or the
  // GPU has not as much.
  absl::StatusOr<OperationMemory*> Get(MemoryPlace place);

 private:
  absl::StatusOr<std::unique_ptr<OperationMemory>> Make(MemoryPlace place);

  const std::map<MemoryPlace, size_t> largest_;
  const std::string cuda_library_;
  std::map<MemoryPlace, std::unique_ptr<OperationMemory>> made_;
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_OPERATIONS_MEMORY_SET_H_
