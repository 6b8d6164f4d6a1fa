// What a loop has measured, raw.
#ifndef RDMALAB_ENGINE_OPERATIONS_MEASURED_H_
#define RDMALAB_ENGINE_OPERATIONS_MEASURED_H_

#include <cstdint>
#include <optional>
#include <vector>

namespace rdmalab {

struct MeasuredPart {
  int64_t ns = 0;
  int64_t messages = 0;
};

struct Measured {
  int64_t start_ns = 0;
  int64_t elapsed_ns = 0;
  uint64_t messages = 0;  // inside elapsed_ns
  uint64_t total = 0;     // with those before and after it
  std::vector<MeasuredPart> sub_windows;
  std::optional<std::vector<int64_t>> latency_ns;
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_OPERATIONS_MEASURED_H_
