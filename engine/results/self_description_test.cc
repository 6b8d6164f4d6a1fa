#include "engine/results/self_description.h"

#include <linux/capability.h>
#include <sys/resource.h>
#include <unistd.h>

#include "engine/base/sha256.h"
#include "engine/testing/simulated_time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace rdmalab {
namespace {

using nlohmann::ordered_json;

TEST(ProcessFacts, AreThoseOfThisProcess) {
  const absl::StatusOr<ProcessFacts> facts = ReadProcessFacts();
  ASSERT_TRUE(facts.ok()) << facts.status();
  EXPECT_EQ(facts->binary_sha256, *Sha256::HexOfFile("/proc/self/exe"));
  EXPECT_EQ(facts->pid, getpid());
  EXPECT_EQ(facts->kernel_page_bytes, sysconf(_SC_PAGESIZE));
  EXPECT_FALSE(facts->hostname.empty());
  EXPECT_FALSE(facts->cpus_allowed.empty());
}

TEST(ProcessFacts, FollowTheMemlockLimit) {
  rlimit limit = {};
  ASSERT_EQ(getrlimit(RLIMIT_MEMLOCK, &limit), 0);
  limit.rlim_cur = 64 * 1024;
  if (limit.rlim_max < limit.rlim_cur) GTEST_SKIP() << "the hard limit is below 64 KiB";
  ASSERT_EQ(setrlimit(RLIMIT_MEMLOCK, &limit), 0);
  EXPECT_EQ(ReadProcessFacts()->memlock_bytes, 64 * 1024);
}

SelfDescription Example() {
  return {.role = "consumer",
          .engine_version = "0.1.0",
          .process = {.binary_sha256 = "ab",
                      .hostname = "n1",
                      .pid = 7,
                      .cpus_allowed = {0, 3},
                      .kernel_page_bytes = 65536,
                      .memlock_bytes = std::nullopt,
                      .cap_ipc_lock = true},
          .ucx = UcxFacts{.header = "1.22",
                          .runtime = "1.20.1",
                          .library_path = "/u/lib/libucp.so.0",
                          .library_sha256 = "cd",
                          .conf_path = std::nullopt,
                          .conf_sha256 = std::nullopt,
                          .settings = {{"UCX_TLS", "tcp"}},
                          .env = {{"UCX_TLS", "tcp"}},
                          .memory_domains = {"self", "tcp"}},
          .clock_drift = std::nullopt,
          .lane_check = std::nullopt};
}

TEST(SelfDescription, HasTheKeysOfTheFormat) {
  const SimulatedTime time;
  EXPECT_EQ(
      ToJson(Example(), time.clock()).dump(),
      R"({"format":"rdmalab.engine","version":1,"role":"consumer","engine_version":"0.1.0",)"
      R"("binary_sha256":"ab","hostname":"n1","pid":7,"cpus_allowed":[0,3],)"
      R"("ucx":{"header":"1.22","runtime":"1.20.1","library_path":"/u/lib/libucp.so.0",)"
      R"("library_sha256":"cd","conf_path":null,"conf_sha256":null,"settings":{"UCX_TLS":"tcp"},)"
      R"("env":{"UCX_TLS":"tcp"},"memory_domains":["self","tcp"]},"kernel_page_bytes":65536,)"
      R"("memlock_bytes":null,"cap_ipc_lock":true,)"
      R"("clock":{"name":"simulated","resolution_ns":1.0,"overhead_ns":0.0}})");
}

TEST(SelfDescription, AddsLaneCheckAndDriftWhenThere) {
  SelfDescription self = Example();
  self.ucx.reset();
  self.clock_drift =
      ClockDrift{.elapsed_ns = 5, .against_monotonic_raw_ppm = 1.5, .against_utc_ppm = -2};
  self.lane_check = LaneCheckFacts{.operation = "get",
                                   .rows = {{.from_bytes = 0,
                                             .to_bytes = std::nullopt,
                                             .protocol = "software emulation",
                                             .config = "tcp/eth0",
                                             .estimate = false}},
                                   .verdict = "accepted",
                                   .text = "as the lane says"};
  const SimulatedTime time;
  const ordered_json json = ToJson(self, time.clock());
  EXPECT_TRUE(json["ucx"].is_null());
  EXPECT_EQ(json["clock"]["against_monotonic_raw_ppm"], 1.5);
  EXPECT_EQ(json["lane_check"].dump(),
            R"({"operation":"get","rows":[{"from_bytes":0,"to_bytes":null,)"
            R"("protocol":"software emulation","config":"tcp/eth0","estimate":false}],)"
            R"("verdict":"accepted","text":"as the lane says"})");
}

}  // namespace
}  // namespace rdmalab
