// What the engine process sees of itself and its limits, for the record.
#ifndef RDMALAB_ENGINE_RESULTS_PROCESS_FACTS_H_
#define RDMALAB_ENGINE_RESULTS_PROCESS_FACTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace rdmalab {

struct ProcessFacts {
  std::string binary_sha256;
  std::string hostname;
  int pid = 0;
  std::vector<int> cpus_allowed;
  int64_t kernel_page_bytes = 0;
  std::optional<uint64_t> memlock_bytes;  // the soft limit; nothing: unlimited
  bool cap_ipc_lock = false;              // in the effective set: memlock does not bind then
};

// An error where /proc cannot be read: a record with holes would be taken for one without.
absl::StatusOr<ProcessFacts> ReadProcessFacts();

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_RESULTS_PROCESS_FACTS_H_
