// What must hold between the fields of a plan: ids in range, nothing twice, every arm what its name
// says. Used by plan_reader.cc after each field is known to be well-formed.
#ifndef RDMALAB_ENGINE_PLAN_PLAN_RULES_H_
#define RDMALAB_ENGINE_PLAN_PLAN_RULES_H_

#include "absl/status/status.h"
#include "engine/plan/plan.h"

namespace rdmalab {

// The first rule that is broken, as an InvalidArgument with the JSON path.
absl::Status CheckPlanRules(const Plan& plan);

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_PLAN_PLAN_RULES_H_
