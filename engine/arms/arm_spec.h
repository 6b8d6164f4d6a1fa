// What an arm is, as far as the consumer's get depends on it. Made from the plan by engine/run;
// this room does not know plans.
#ifndef RDMALAB_ENGINE_ARMS_ARM_SPEC_H_
#define RDMALAB_ENGINE_ARMS_ARM_SPEC_H_

#include <cstddef>
#include <string>

#include "absl/time/time.h"

namespace rdmalab {

struct ArmSpec {
  // Where the bytes of a get end: an owned buffer, after a copy out of registered memory; leased
  // registered memory; a registered buffer of the caller.
  enum class Read { kOwned, kPinned, kInto };

  std::string name;
  bool asks_for_rdma = true;
  Read read = Read::kOwned;
  bool control_over_am = false;    // else over the TCP connection
  bool overlapped_copy = false;    // kOwned: copy by pieces while the transfer goes on
  bool fresh_destination = false;  // kOwned: a buffer allocated inside the get
  size_t chunk_bytes = 512 * 1024;
  size_t depth = 1;
  size_t piece_bytes = 256 * 1024;
  bool eager_endpoint = false;  // connected before the first sample
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_ARMS_ARM_SPEC_H_
