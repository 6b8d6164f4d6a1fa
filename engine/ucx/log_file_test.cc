#include "engine/ucx/log_file.h"

#include <unistd.h>

#include <cstdlib>
#include <vector>

#include "engine/ucx/connected_workers.h"
#include "engine/ucx/get.h"
#include "engine/ucx/lane_check.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace rdmalab::ucx {
namespace {

using testing::HasSubstr;

// Sets a variable for one test. UCX itself has read them long before.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const char* value) : name_(name), before_(getenv(name)) {
    setenv(name, value, 1);
  }
  ~ScopedVariable() { setenv(name_, before_.c_str(), 1); }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  const char* name_;
  std::string before_;
};

TEST(LogSetupTest, PassesWithWhatTheToolSets) {
  EXPECT_TRUE(CheckLogSetup().ok()) << CheckLogSetup();
  const ScopedVariable pattern("UCX_PROTO_INFO", "*ucp_get*");
  EXPECT_TRUE(CheckLogSetup().ok()) << CheckLogSetup();
}

TEST(LogSetupTest, RefusesWhatPrintsNoTableInTime) {
  for (const char* value : {"", "n", "used", "auto", "*put*"}) {
    const ScopedVariable variable("UCX_PROTO_INFO", value);
    const absl::Status status = CheckLogSetup();
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << value;
    EXPECT_THAT(std::string(status.message()), HasSubstr("UCX_PROTO_INFO="));
  }
}

TEST(LogSetupTest, RefusesALogThatIsNoFileOfItsOwn) {
  for (const char* value : {"", "stdout", "stderr", "/nonexistent/ucx.log"}) {
    const ScopedVariable variable("UCX_LOG_FILE", value);
    const absl::Status status = CheckLogSetup();
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << value;
    EXPECT_THAT(std::string(status.message()), HasSubstr("UCX_LOG_FILE="));
  }
}

// The whole way of the proof, with the installed UCX: GET, flush, read, parse, judge.
class OwnLogTest : public testing::TestWithParam<LaneUnderTest> {};

TEST_P(OwnLogTest, HoldsTheTableOfTheFirstGet) {
  auto workers = ConnectedWorkers::Create(GetParam());
  ASSERT_TRUE(workers.ok()) << workers.status();
  std::vector<uint8_t> source(4096), destination(4096);
  auto memory = MappedMemory::Create((*workers)->context(), source.data(), source.size());
  ASSERT_TRUE(memory.ok());
  auto key = RemoteKey::Unpack((*workers)->endpoint(), memory->packed_key());
  ASSERT_TRUE(key.ok());
  Request get =
      Get((*workers)->endpoint(), {.to = destination.data(),
                                   .bytes = destination.size(),
                                   .remote_address = reinterpret_cast<uintptr_t>(source.data()),
                                   .key = *key});
  Patience patience = ConnectedWorkers::Seconds(20);
  ASSERT_TRUE((*workers)->endpoint().Finish(get, patience).ok());

  const absl::StatusOr<std::string> log = ReadOwnLog();
  ASSERT_TRUE(log.ok()) << log.status();
  const bool tcp = GetParam().name == "tcp";
  std::vector<ProtocolTable> tables = ParseProtocolTables(*log);
  // One process tests both lanes here; an engine has one.
  std::erase_if(tables, [&](const ProtocolTable& table) {
    return table.rows.empty() || TransportsOf(table.rows[0].config)[0] != (tcp ? "tcp" : "cma");
  });
  const LaneVerdict verdict =
      CheckLane(tables, {.lane = GetParam().name,
                         .protocols = {tcp ? "software emulation" : "zero-copy"},
                         .transports = {tcp ? "tcp" : "cma"},
                         .sizes = {4096},
                         .pid = getpid()});
  EXPECT_EQ(verdict.answer, LaneAnswer::kAccepted) << verdict.text;
}

INSTANTIATE_TEST_SUITE_P(Lanes, OwnLogTest, testing::Values(kTcp, kShm),
                         [](const auto& lane) { return lane.param.name; });

}  // namespace
}  // namespace rdmalab::ucx
