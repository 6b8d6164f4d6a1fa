// Whole runs of the loopback role with a plan of the operations engine, owner and consumer in this
// process with a UCX each. BUILD runs this file once per lane; the lane is told by UCX_TLS.
#include <csignal>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/base/file.h"
#include "engine/base/status.h"
#include "engine/base/stop_signal.h"
#include "engine/run/roles.h"
#include "engine/testing/example_plan.h"
#include "engine/testing/temporary_folder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace rdmalab {
namespace {

using nlohmann::json;
using testing::HasSubstr;

bool OnTcp() { return std::string(std::getenv("UCX_TLS")) == "tcp"; }

json LanePlan() {
  json plan = ExampleOperationsPlanJson();
  if (!OnTcp()) {
    plan["lane"].update({{"name", "shm"},
                         {"env", {{"UCX_TLS", "posix,cma"}}},
                         {"error_handling", "none"},
                         {"accepts", {{"get", {"zero-copy"}}}},
                         {"transports", {"cma"}}});
  } else {
    plan["lane"]["env"] = {{"UCX_TLS", "tcp"}};
  }
  plan["limits"]["get_timeout_ms"] = 60'000;
  plan["limits"]["exchange_timeout_ms"] = 60'000;
  return plan;
}

struct Outcome {
  absl::Status status;
  std::vector<json> samples;
  std::vector<json> lines;
};

Outcome RunPlan(const json& plan) {
  const TemporaryFolder folder;
  const std::string plan_path = folder.path() + "/plan.json";
  EXPECT_TRUE(WriteFileAtomically(plan_path, CanonicalText(plan)).ok());
  Options options;
  options.role = Role::kLoopback;
  options.plan_path = plan_path;
  options.out = folder.path() + "/out";
  Outcome run;
  run.status = RunRole(options, PlanOf(plan), Clock::MonotonicRaw());
  const auto text = ReadFile(options.out + "/samples.jsonl", size_t{64} << 20);
  EXPECT_TRUE(text.ok()) << text.status();
  size_t at = 0;
  while (text.ok() && at < text->size()) {
    const size_t end = text->find('\n', at);
    run.lines.push_back(json::parse(text->substr(at, end - at)));
    if (run.lines.back()["kind"] == "sample") run.samples.push_back(run.lines.back());
    at = end + 1;
  }
  return run;
}

TEST(OperationRoles, EveryOperationIsMeasuredAndVerifiedByItsSlots) {
  const Outcome run = RunPlan(LanePlan());
  ASSERT_TRUE(run.status.ok()) << run.status;
  ASSERT_EQ(run.samples.size(), 24) << "2 blocks of 3 arms, 2 sizes, 2 windows";
  for (const json& sample : run.samples) {
    EXPECT_TRUE(sample["error"].is_null()) << sample;
    EXPECT_TRUE(sample["verified"].get<bool>()) << sample;
    EXPECT_GT(sample["messages"], 0);
    EXPECT_EQ(sample["bytes"], sample["messages"].get<int64_t>() * sample["size"].get<int64_t>());
    EXPECT_GE(sample["elapsed_ns"], 5'000'000) << "duration_ms is 5";
    EXPECT_EQ(sample["warmup"], sample["block"] == 0);
    EXPECT_EQ(sample["backend"], "ucx");
    if (sample["op"] == "send") {
      EXPECT_EQ(sample["counters"]["received"], sample["counters"]["completed"]) << sample;
      EXPECT_EQ(sample["recv_depth"], 128);
    }
  }
  EXPECT_EQ(run.lines.back()["status"], "done");
}

TEST(OperationRoles, LatencyHasATimePerOperation) {
  json plan = LanePlan();
  plan["windows"] = {1};
  for (json& arm : plan["arms"]) arm.update({{"mode", "latency"}, {"iterations", 50}});
  plan["cells"] = json::array();
  for (int arm = 0; arm < 3; ++arm) {
    plan["cells"].push_back({{"arm", arm}, {"size", 64}, {"window", 1}});
  }
  plan["blocks"] = {{{"pair", 0}, {"rep", 0}, {"warmup", true}, {"cells", {0, 1, 2}}}};
  const Outcome run = RunPlan(plan);
  ASSERT_TRUE(run.status.ok()) << run.status;
  for (const json& sample : run.samples) {
    EXPECT_EQ(sample["latency_ns"].size(), 50) << sample;
    for (const json& ns : sample["latency_ns"]) EXPECT_GT(ns, 0);
    EXPECT_TRUE(sample["sub_windows"].empty());
    EXPECT_TRUE(sample["verified"].get<bool>());
  }
}

TEST(OperationRoles, ACellThatCannotRunIsARowAndTheSweepGoesOn) {
  json plan = LanePlan();
  plan["arms"][0]["memory"] = "cuda";
  const Outcome run = RunPlan(plan);
  if (run.status.ok()) GTEST_SKIP() << "this machine has a GPU";
  EXPECT_EQ(ExitCodeOf(run.status), kExitFailed) << run.status;
  int failed = 0;
  for (const json& sample : run.samples) {
    if (sample["error"].is_null()) continue;
    ++failed;
    EXPECT_EQ(sample["arm"], "read");
    EXPECT_EQ(sample["error"]["phase"], "open");
    EXPECT_EQ(sample["error"]["code"], "unimplemented");
    EXPECT_THAT(sample["error"]["text"].get<std::string>(), HasSubstr("cannot run here"));
    EXPECT_TRUE(sample["elapsed_ns"].is_null());
  }
  EXPECT_EQ(failed, 8);
  EXPECT_EQ(run.samples.size(), 24);
}

TEST(OperationRoles, AStopSignalEndsItBetweenCells) {
  StopSignal::Install();
  std::raise(SIGTERM);
  const Outcome run = RunPlan(LanePlan());
  StopSignal::Reset();
  EXPECT_EQ(ExitCodeOf(run.status), kExitInterrupted) << run.status;
  EXPECT_EQ(run.lines.back()["status"], "interrupted");
}

TEST(OperationRoles, AWrongLaneEndsTheRunAtTheFirstRead) {
  json plan = LanePlan();
  plan["lane"]["accepts"]["get"] = {OnTcp() ? "zero-copy" : "copy-out"};
  const Outcome run = RunPlan(plan);
  EXPECT_EQ(ExitCodeOf(run.status), kExitWrongLane) << run.status;
}

TEST(OperationRoles, WithoutADeviceLaneVerbsCannotRunHere) {
  json plan = LanePlan();
  plan["lane"].update({{"name", "verbs"}, {"backend", "verbs"}, {"env", json::object()}});
  const Outcome run = RunPlan(plan);
  if (run.status.ok()) GTEST_SKIP() << "this host has an RDMA device";
  EXPECT_EQ(ExitCodeOf(run.status), kExitCannotRunHere) << run.status;
  EXPECT_THAT(std::string(run.status.message()), HasSubstr("no RDMA device here"));
}

}  // namespace
}  // namespace rdmalab
