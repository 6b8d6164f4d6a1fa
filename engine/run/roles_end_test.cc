// How whole runs end, and what they leave beside their samples. BUILD runs this file once per lane.
#include <csignal>
#include <string>

#include "engine/base/file.h"
#include "engine/base/status.h"
#include "engine/base/stop_signal.h"
#include "engine/run/loopback_run.h"
#include "gtest/gtest.h"

namespace rdmalab {
namespace {

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
  json plan = PlanWith({{"chunked", {{"path", "chunked"}}}}, 1);
  plan["limits"]["exchange_timeout_ms"] = 1000;  // the owner of the second run waits so long
  ASSERT_TRUE(Run(plan).ok());
  EXPECT_TRUE(absl::IsAlreadyExists(Run(plan)));
}

}  // namespace
}  // namespace rdmalab
