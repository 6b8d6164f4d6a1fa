// Whole runs of the loopback role, owner and consumer in this process with a UCX each. BUILD runs
// this file once per lane; the lane is told by UCX_TLS.
#include "engine/run/roles.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "engine/base/file.h"
#include "engine/base/status.h"
#include "engine/base/stop_signal.h"
#include "engine/run/owner_process.h"
#include "engine/testing/example_plan.h"
#include "engine/testing/temporary_folder.h"
#include "gtest/gtest.h"

namespace rdmalab {
namespace {

using nlohmann::json;

constexpr int64_t kSmall = 4096;
constexpr int64_t kLarge = 1048576 + 4097;

bool OnTcp() { return std::string(std::getenv("UCX_TLS")) == "tcp"; }

json LanePlan() {
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
json PlanWith(const std::vector<ArmChange>& changes, int reps) {
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

TEST_F(Loopback, EveryArmBringsEveryByteByThePathThatWasAsked) {
  const json over_am = {{"via", "am"}};
  const std::vector<ArmChange> arms = {
      {"get", {}},
      {"get_am", over_am},
      {"pinned", {{"read", "get_pinned"}, {"via", "am"}}},
      {"into", {{"read", "get_into"}}},
      {"fresh", {{"destination", "fresh"}}},
      {"overlapped", {{"copy", "overlapped"}, {"piece", 65536}}},
      {"overlapped_fresh", {{"copy", "overlapped"}, {"destination", "fresh"}, {"via", "am"}}},
      {"eager", {{"eager_endpoint", true}, {"via", "am"}}},
      {"thread", {{"progress", "thread"}, {"spin_us", 20}, {"via", "am"}}},
      {"chunked", {{"path", "chunked"}}},
      {"chunked_am", {{"path", "chunked"}, {"via", "am"}}},
      {"chunked_deep", {{"path", "chunked"}, {"depth", 4}, {"chunk", 65536}}},
      {"chunked_deep_am", {{"path", "chunked"}, {"depth", 4}, {"chunk", 65536}, {"via", "am"}}},
      {"chunked_into_am", {{"path", "chunked"}, {"read", "get_into"}, {"via", "am"}}},
      {"chunked_pinned", {{"path", "chunked"}, {"read", "get_pinned"}}},
      {"plain", {{"path", "chunked"}, {"staging", "plain"}}},
      {"killed", {{"path", "chunked"}, {"kill_switch", true}}}};
  const absl::Status status = Run(PlanWith(arms, 2));
  ASSERT_TRUE(status.ok()) << status;
  const std::vector<json> samples = Kind("sample");
  ASSERT_EQ(samples.size(), arms.size() * 2 * 2);
  for (const json& sample : samples) {
    SCOPED_TRACE(sample.dump());
    EXPECT_EQ(sample["verified"], true);
    EXPECT_EQ(sample["error"], nullptr);
    EXPECT_EQ(sample["path"], sample["path_asked"]);
    EXPECT_EQ(sample["bytes"], sample["size"]);
    EXPECT_EQ(sample["registrations"], 0);
    EXPECT_EQ(sample["reason"], "ok");
  }
  EXPECT_EQ(Kind("block").size(), 2u);
  EXPECT_EQ(Kind("end").at(0)["status"], "done");
  EXPECT_EQ(SelfDescription("loopback")["lane_check"]["verdict"], "accepted");
}

TEST_F(Loopback, PhasesAddUpAndOnlyAnArmsFirstNeedShowsWireUp) {
  ASSERT_TRUE(Run(PlanWith({{"rdma", {{"via", "am"}}},
                            {"eager", {{"eager_endpoint", true}}},
                            {"chunked", {{"path", "chunked"}}}},
                           3))
                  .ok());
  for (const json& sample : Kind("sample")) {
    SCOPED_TRACE(sample.dump());
    EXPECT_EQ(sample["total_ns"].get<int64_t>(),
              sample["wireup_ns"].get<int64_t>() + sample["acquire_ns"].get<int64_t>() +
                  sample["transfer_ns"].get<int64_t>() + sample["copy_ns"].get<int64_t>());
    EXPECT_GT(sample["release_ns"], 0);
    EXPECT_EQ(sample["wireup_ns"] > 0, sample["arm"] == "rdma" && sample["first"] == true);
    EXPECT_EQ(sample["copy_ns"] > 0, sample["path"] == "rdma");
  }
}

TEST_F(Loopback, WaitingForTheOwnerIsAFieldOfItsOwnAndInNoTransfer) {
  constexpr auto kStaging = std::chrono::milliseconds(50);
  const json plan = PlanWith({{"rdma", {}}, {"chunked", {{"path", "chunked"}}}}, 2);
  const OwnerLoop::Fill planned = PlannedFill(PlanOf(plan));
  ASSERT_TRUE(Run(plan, [&](uint32_t slot, int rep, absl::Span<uint8_t> payload) {
                planned(slot, rep, payload);
                std::this_thread::sleep_for(kStaging);  // an owner that is slow to stage
              }).ok());
  for (const json& block : Kind("block")) {
    SCOPED_TRACE(block.dump());
    const json& wait = block["wait_ns"];
    EXPECT_GE(wait["stage"], 4 * std::chrono::nanoseconds(kStaging).count());
    EXPECT_GT(wait["barrier"], 0);
    // What is counted twice would not fit into the block's own time.
    int64_t counted = wait["stage"].get<int64_t>() + wait["barrier"].get<int64_t>();
    for (const json& sample : Kind("sample")) {
      if (sample["block"] != block["block"]) continue;
      counted += sample["total_ns"].get<int64_t>() + sample["release_ns"].get<int64_t>();
    }
    EXPECT_LE(counted, block["wall_ns"].get<int64_t>());
  }
}

TEST_F(Loopback, AWrongByteIsFoundAndTheRestGoesOn) {
  const json plan = PlanWith({{"rdma", {}}, {"chunked", {{"path", "chunked"}}}}, 3);
  const OwnerLoop::Fill planned = PlannedFill(PlanOf(plan));
  const absl::Status status =
      Run(plan, [&planned](uint32_t slot, int rep, absl::Span<uint8_t> payload) {
        planned(slot, rep, payload);
        if (slot == 1 && rep == 1) payload[700'000] ^= 0x10;
      });
  EXPECT_EQ(ExitCodeOf(status), kExitFailed) << status;
  int failed = 0;
  for (const json& sample : Kind("sample")) {
    if (sample["error"].is_null()) continue;
    ++failed;
    EXPECT_EQ(sample["cell"], 1);
    EXPECT_EQ(sample["rep"], 1);
    EXPECT_EQ(sample["verified"], false);
    EXPECT_EQ(sample["error"]["phase"], "verify");
    EXPECT_NE(sample["error"]["text"].get<std::string>().find("700000"), std::string::npos);
  }
  EXPECT_EQ(failed, 1);
  EXPECT_EQ(Kind("sample").size(), 12u);
  EXPECT_EQ(Kind("end").at(0)["status"], "failed");
  EXPECT_EQ(Kind("end").at(0)["exit"], kExitFailed);
}

TEST_F(Loopback, ThePayloadOfTheLastRepetitionDoesNotPass) {
  const json plan = PlanWith({{"rdma", {}}}, 3);
  const OwnerLoop::Fill planned = PlannedFill(PlanOf(plan));
  const absl::Status status =
      Run(plan, [&planned](uint32_t slot, int rep, absl::Span<uint8_t> payload) {
        planned(slot, rep == 2 ? 1 : rep, payload);
      });
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(Kind("end").at(0)["failed"], 2);
}

// As a loop over one buffer does it: staged once, poisoned and verified each time.
TEST_F(Loopback, ACellThatStandsSeveralTimesInABlockIsMovedAsOften) {
  json plan = PlanWith({{"get", {}}, {"over_am", {{"via", "am"}}}}, 2);
  plan["blocks"][1]["cells"] = {3, 3, 3, 0, 3};
  ASSERT_TRUE(Run(plan).ok());
  const std::vector<json> samples = Kind("sample");
  ASSERT_EQ(samples.size(), 9);
  for (size_t i = 4; i < samples.size(); ++i) {
    EXPECT_EQ(samples[i]["cell"], plan["blocks"][1]["cells"][i - 4]);
    EXPECT_EQ(samples[i]["order"], i);
    EXPECT_EQ(samples[i]["verified"], true);
  }
  EXPECT_EQ(Kind("block")[1]["verified_bytes"], 4 * kLarge + kSmall);
}

TEST_F(Loopback, ASpentBudgetIsInEverySampleAndTheBytesComeAllTheSame) {
  json plan = PlanWith({{"rdma", {{"via", "am"}}}}, 2);
  plan["limits"]["registered_bytes"] = 1 << 20;
  plan["limits"]["arena_bytes"] = 1 << 20;
  ASSERT_TRUE(Run(plan).ok());
  for (const json& sample : Kind("sample")) {
    SCOPED_TRACE(sample.dump());
    const bool fits = sample["size"] == kSmall;
    EXPECT_EQ(sample["staging"], fits ? "pinned" : "plain");
    EXPECT_EQ(sample["staging_reason"], fits ? "ok" : "budget");
    EXPECT_EQ(sample["path"], fits ? "rdma" : "chunked");
    EXPECT_EQ(sample["verified"], true);
    EXPECT_EQ(sample["refusal"], fits ? json(nullptr) : json("not_pinned"));
  }
}

TEST_F(Loopback, AWrongLaneEndsTheRunBeforeTheSecondSample) {
  json plan = PlanWith({{"rdma", {}}}, 2);
  plan["lane"]["accepts"]["get"] = {OnTcp() ? "zero-copy" : "software emulation"};
  const absl::Status status = Run(plan);
  EXPECT_EQ(ExitCodeOf(status), kExitWrongLane) << status;
  EXPECT_TRUE(Kind("sample").empty());
  EXPECT_EQ(Kind("end").at(0)["exit"], kExitWrongLane);
  EXPECT_EQ(SelfDescription("loopback")["lane_check"]["verdict"], "refused");
}

TEST_F(Loopback, AnEnvironmentThatIsNotTheLanesIsRefusedByName) {
  json plan = PlanWith({{"rdma", {}}}, 1);
  plan["lane"]["env"]["UCX_TLS"] = "rc_verbs";
  const absl::Status status = Run(plan);
  EXPECT_EQ(ExitCodeOf(status), kExitWrongLane);
  EXPECT_NE(std::string(status.message()).find("UCX_TLS"), std::string::npos) << status;
}

TEST_F(Loopback, ASignalKeepsTheFinishedBlocks) {
  StopSignal::Install();
  const json plan = PlanWith({{"rdma", {}}}, 4);
  const OwnerLoop::Fill planned = PlannedFill(PlanOf(plan));
  const absl::Status status =
      Run(plan, [&planned](uint32_t slot, int rep, absl::Span<uint8_t> payload) {
        planned(slot, rep, payload);
        if (rep == 2) std::raise(SIGTERM);
      });
  EXPECT_EQ(ExitCodeOf(status), kExitInterrupted) << status;
  EXPECT_EQ(Kind("block").size(), 2u);
  EXPECT_EQ(Kind("end").at(0)["status"], "interrupted");
}

TEST_F(Loopback, BothSidesExportTheirCounters) {
  ASSERT_TRUE(Run(PlanWith({{"rdma", {}}, {"chunked", {{"path", "chunked"}}}}, 2)).ok());
  const std::string consumer = *ReadFile(folder_.Path("out/loopback.metrics"));
  const std::string owner = *ReadFile(folder_.Path("out/owner.metrics"));
  EXPECT_NE(consumer.find("rdmalab_gets_total"), std::string::npos) << consumer;
  EXPECT_NE(owner.find("rdmalab_offers_total{role=\"owner\",refusal=\"below_min\"} 4"),
            std::string::npos)
      << owner;
  EXPECT_NE(owner.find("rdmalab_leases_ended_total{role=\"owner\"} 8"), std::string::npos) << owner;
}

TEST_F(Loopback, AFolderIsUsedOnce) {
  const json plan = PlanWith({{"chunked", {{"path", "chunked"}}}}, 1);
  ASSERT_TRUE(Run(plan).ok());
  EXPECT_TRUE(absl::IsAlreadyExists(Run(plan)));
}

}  // namespace
}  // namespace rdmalab
