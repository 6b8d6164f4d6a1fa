// For tests: whole runs of the loopback role, owner and consumer in this process with a UCX each,
// on the lane that UCX_TLS tells.
#ifndef RDMALAB_ENGINE_RUN_LOOPBACK_RUN_H_
#define RDMALAB_ENGINE_RUN_LOOPBACK_RUN_H_

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "engine/base/file.h"
#include "engine/base/stop_signal.h"
#include "engine/run/owner_process.h"
#include "engine/run/roles.h"
#include "engine/testing/example_plan.h"
#include "engine/testing/temporary_folder.h"
#include "gtest/gtest.h"

namespace rdmalab {

using nlohmann::json;

inline constexpr int64_t kSmall = 4096;
inline constexpr int64_t kLarge = 1048576 + 4097;

inline bool OnTcp() { return std::string(std::getenv("UCX_TLS")) == "tcp"; }

inline json LanePlan() {
  json plan = ExamplePlanJson();
  plan["lane"] = OnTcp() ? json{{"name", "tcp"},
                                {"env", {{"UCX_TLS", "tcp"}}},
                                {"error_handling", "peer"},
                                {"accepts", {{"get", {"software emulation"}}}},
                                {"transports", {"tcp"}}}
                         : json{{"name", "shm"},
                                {"env", {{"UCX_TLS", "posix,cma"}}},
                                {"error_handling", "none"},
                                {"accepts", {{"get", {"zero-copy"}}}},
                                {"transports", {"cma"}}};
  plan["limits"]["get_timeout_ms"] = 60'000;
  plan["limits"]["exchange_timeout_ms"] = 60'000;
  return plan;
}

struct ArmChange {
  std::string name;
  json fields;
};

// One warm pair: each arm at two sizes, `reps` blocks.
inline json PlanWith(const std::vector<ArmChange>& changes, int reps) {
  json plan = LanePlan();
  plan["pairs"] = 1;
  plan["reps"] = reps;
  plan["sizes"] = {kSmall, kLarge};
  plan["arms"] = json::array();
  plan["cells"] = json::array();
  plan["blocks"] = json::array();
  json ids = json::array();
  for (const ArmChange& change : changes) {
    json arm = ExampleArmJson(change.name);
    arm["via"] = "tcp";
    arm["destination"] = "reused";
    if (!change.fields.is_null()) arm.update(change.fields);
    if (arm["path"] == "chunked") arm["min_bytes"] = kLarge + 1;
    for (const int64_t size : {kSmall, kLarge}) {
      ids.push_back(plan["cells"].size());
      plan["cells"].push_back({{"arm", plan["arms"].size()}, {"size", size}});
    }
    plan["arms"].push_back(arm);
  }
  for (int rep = 0; rep < reps; ++rep) {
    plan["blocks"].push_back({{"pair", 0}, {"rep", rep}, {"warmup", rep == 0}, {"cells", ids}});
  }
  return plan;
}

class Loopback : public testing::Test {
 protected:
  void TearDown() override { StopSignal::Reset(); }

  absl::Status Run(const json& plan) { return Run(plan, PlannedFill(PlanOf(plan))); }

  absl::Status Run(const json& plan, const OwnerLoop::Fill& fill) {
    Options options;
    options.role = Role::kLoopback;
    options.out = folder_.Path("out");
    const absl::Status status =
        RunRoleWithPayload(options, PlanOf(plan), Clock::MonotonicRaw(), fill);
    std::ifstream file(options.out + "/samples.jsonl");
    for (std::string line; std::getline(file, line);) lines_.push_back(json::parse(line));
    return status;
  }

  std::vector<json> Kind(const std::string& kind) const {
    std::vector<json> found;
    for (const json& line : lines_) {
      if (line["kind"] == kind) found.push_back(line);
    }
    return found;
  }

  json SelfDescription(const std::string& role) const {
    return json::parse(*ReadFile(folder_.Path("out/" + role + ".json")));
  }

  TemporaryFolder folder_;
  std::vector<json> lines_;
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_RUN_LOOPBACK_RUN_H_
