// What whole runs bring: every byte, by the path that was asked. BUILD runs this file once per
// lane.
#include <chrono>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "engine/base/file.h"
#include "engine/base/status.h"
#include "engine/run/loopback_run.h"
#include "gtest/gtest.h"

namespace rdmalab {
namespace {

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

}  // namespace
}  // namespace rdmalab
