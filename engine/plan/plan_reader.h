// plan.json to Plan. Whatever is wrong is an InvalidArgument with the JSON path, the value and what
// was expected: `arms[2].min_bytes: -1: expected an integer of 0 to 1099511627776`.
//
// Order of use: ReadPlan, then CheckBuilt (capabilities.h), then run.
#ifndef RDMALAB_ENGINE_PLAN_PLAN_READER_H_
#define RDMALAB_ENGINE_PLAN_PLAN_READER_H_

#include <string>

#include "absl/status/statusor.h"
#include "engine/plan/plan.h"

namespace rdmalab {

// Reads and checks the file; errors name it. A plan of an engine that is not built is
// Unimplemented, because its further fields are not known here.
absl::StatusOr<Plan> ReadPlan(const std::string& path);

// The same from the file's text.
absl::StatusOr<Plan> ParsePlan(const std::string& text);

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_PLAN_PLAN_READER_H_
