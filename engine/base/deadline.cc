#include "engine/base/deadline.h"

#include <limits>

namespace rdmalab {

int Deadline::RemainingPollMs() const {
  const absl::Duration rounded_up = absl::Ceil(Remaining(), absl::Milliseconds(1));
  return static_cast<int>(
      std::min<int64_t>(absl::ToInt64Milliseconds(rounded_up), std::numeric_limits<int>::max()));
}

}  // namespace rdmalab
