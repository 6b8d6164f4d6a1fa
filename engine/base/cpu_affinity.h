// On which cores the calling thread may run, as the engine itself sees it.
#ifndef RDMALAB_ENGINE_BASE_CPU_AFFINITY_H_
#define RDMALAB_ENGINE_BASE_CPU_AFFINITY_H_

#include <vector>

#include "absl/status/statusor.h"

namespace rdmalab {

// Core numbers, ascending.
absl::StatusOr<std::vector<int>> AllowedCpus();

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_BASE_CPU_AFFINITY_H_
