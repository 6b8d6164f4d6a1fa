#include "engine/operations/memory_set.h"

#include <utility>

#include "engine/base/status.h"
#include "engine/memory/cuda_memory.h"

namespace rdmalab {

absl::StatusOr<OperationMemory*> MemorySet::Get(MemoryPlace place) {
  const auto found = made_.find(place);
  if (found != made_.end()) return found->second.get();
  ASSIGN_OR_RETURN(std::unique_ptr<OperationMemory> memory, Make(place));
  return made_.emplace(place, std::move(memory)).first->second.get();
}

absl::StatusOr<std::unique_ptr<OperationMemory>> MemorySet::Make(MemoryPlace place) {
  const auto largest = largest_.find(place);
  if (largest == largest_.end()) return absl::InternalError("a memory that no cell asks for");
  if (place == MemoryPlace::kCuda) {
    ASSIGN_OR_RETURN(auto driver, CudaDriver::Load(cuda_library_));
    return CudaMemory::Create(std::move(driver), largest->second);
  }
  return HostMemory::Create(
      {.bytes = largest->second, .huge_pages = place == MemoryPlace::kHostHuge});
}

}  // namespace rdmalab
