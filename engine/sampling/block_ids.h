// The --blocks argument: "0-19,25".
#ifndef RDMALAB_ENGINE_SAMPLING_BLOCK_IDS_H_
#define RDMALAB_ENGINE_SAMPLING_BLOCK_IDS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace rdmalab {

// Block ids in rising order, as written; InvalidArgument, with the text, for anything else: an
// empty list, a falling or repeated id, an id that is not below `blocks`.
absl::StatusOr<std::vector<int>> ParseBlockIds(const std::string& text, int blocks);

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_SAMPLING_BLOCK_IDS_H_
