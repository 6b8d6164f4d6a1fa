// What this engine can do: told to the tool by --describe, and the reason to refuse a plan that is
// valid.
#ifndef RDMALAB_ENGINE_PLAN_CAPABILITIES_H_
#define RDMALAB_ENGINE_PLAN_CAPABILITIES_H_

#include <nlohmann/json.hpp>

#include "absl/status/status.h"
#include "engine/plan/plan.h"

namespace rdmalab {

inline constexpr char kEngineVersion[] = "0.1.0";

// The document `rdmalab.capabilities`: per key of a plan the values that are built.
nlohmann::json Capabilities();

// Unimplemented, with the path, the value and what is built instead, for the first choice that is
// not.
absl::Status CheckBuilt(const Plan& plan);

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_PLAN_CAPABILITIES_H_
