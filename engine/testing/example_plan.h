// A small valid plan for tests to start from: two warm pairs, two arms, two sizes, two reps.
//
//   nlohmann::json plan = ExamplePlanJson();
//   plan["arms"][1]["depth"] = 4;
//   const Plan parsed = PlanOf(plan);
#ifndef RDMALAB_ENGINE_TESTING_EXAMPLE_PLAN_H_
#define RDMALAB_ENGINE_TESTING_EXAMPLE_PLAN_H_

#include <nlohmann/json.hpp>
#include <string>

#include "engine/plan/plan.h"

namespace rdmalab {

// Arms `rdma` (0) and `chunked` (1) on lane tcp; sizes 4096 and 1052673; cells arm-major; block id
// = 2 * pair + rep.
nlohmann::json ExamplePlanJson();

// Operations over UCX on tcp: arms read, write and send, two sizes, windows 1 and 8, a pair of two
// blocks.
nlohmann::json ExampleOperationsPlanJson();

// One element of `arms`, an rdma arm by path and name.
nlohmann::json ExampleArmJson(const std::string& name);

// The text as the tool writes it: keys sorted, no blanks, one line break at the end.
std::string CanonicalText(const nlohmann::json& plan);

// The parsed plan; fails the test if it is not valid.
Plan PlanOf(const nlohmann::json& plan);

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_TESTING_EXAMPLE_PLAN_H_
