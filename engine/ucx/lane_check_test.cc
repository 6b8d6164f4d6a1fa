#include "engine/ucx/lane_check.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace rdmalab::ucx {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr uint64_t kInf = ProtocolRow::kInfinite;

ProtocolTable Get(std::vector<ProtocolRow> rows, Scope scope = Scope::kInterNode) {
  return {std::string(kPlainHostGet), scope, "ucp_context_0", 42, std::move(rows)};
}

const LaneWanted kTcp = {
    .lane = "tcp", .protocols = {"software emulation"}, .transports = {"tcp"}, .sizes = {4096}};
const LaneWanted kRc = {.lane = "rc",
                        .protocols = {"zero-copy", "copy-out"},
                        .transports = {"rc_mlx5"},
                        .sizes = {0, 64, 65, 1 << 20}};

TEST(LaneCheckTest, AcceptsWhatTheLaneAccepts) {
  const auto verdict = CheckLane({Get({{0, kInf, "software emulation", "tcp/eth7"}})}, kTcp);
  EXPECT_EQ(verdict.answer, LaneAnswer::kAccepted) << verdict.text;
  EXPECT_TRUE(verdict.ToStatus().ok());
  EXPECT_THAT(verdict.text, HasSubstr("4096 bytes: software emulation over tcp/eth7"));
  EXPECT_EQ(verdict.rows.size(), 1u);
}

TEST(LaneCheckTest, RefusesEmulationWhereZeroCopyIsPromised) {
  const auto verdict = CheckLane({Get({{0, kInf, "software emulation", "rc_mlx5/mlx5_9:1"}})}, kRc);
  EXPECT_EQ(verdict.answer, LaneAnswer::kRefused);
  EXPECT_EQ(verdict.ToStatus().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(verdict.text, HasSubstr("0..1048576 bytes: software emulation"));
  EXPECT_THAT(verdict.text, HasSubstr("UCX_NET_DEVICES"));
}

TEST(LaneCheckTest, JudgesEachSizeByItsOwnRow) {
  const auto verdict = CheckLane({Get({{0, 0, "copy-out", "rc_mlx5/mlx5_9:1/path0"},
                                       {1, 64, "software emulation", "rc_mlx5/mlx5_9:1/path0"},
                                       {65, kInf, "zero-copy", "rc_mlx5/mlx5_9:1/path0"}})},
                                 kRc);
  EXPECT_EQ(verdict.answer, LaneAnswer::kRefused);
  ASSERT_EQ(verdict.sizes.size(), 4u);
  EXPECT_EQ(verdict.sizes[0].answer, LaneAnswer::kAccepted);
  EXPECT_EQ(verdict.sizes[1].answer, LaneAnswer::kRefused);
  EXPECT_EQ(verdict.sizes[2].answer, LaneAnswer::kAccepted);
  EXPECT_EQ(verdict.sizes[3].answer, LaneAnswer::kAccepted);
  EXPECT_THAT(verdict.text, HasSubstr("64 bytes: software emulation"));
}

TEST(LaneCheckTest, RefusesTheRightProtocolOverAnotherTransport) {
  const auto verdict = CheckLane({Get({{0, kInf, "zero-copy", "cma/memory"}})}, kRc);
  EXPECT_EQ(verdict.answer, LaneAnswer::kRefused);
  EXPECT_THAT(verdict.text, HasSubstr("another transport"));
}

TEST(LaneCheckTest, RefusesASecondTransportBesideTheRightOne) {
  const auto verdict = CheckLane(
      {Get({{0, kInf, "zero-copy", "55% on rc_mlx5/mlx5_9:1 and 45% on cma/memory"}})}, kRc);
  EXPECT_EQ(verdict.answer, LaneAnswer::kRefused);
}

TEST(LaneCheckTest, AnEstimateIsUnproven) {
  const auto verdict =
      CheckLane({Get({{0, kInf, "zero-copy", "rc_mlx5/mlx5_9:1", /*estimate=*/true}})}, kRc);
  EXPECT_EQ(verdict.answer, LaneAnswer::kUnproven);
  EXPECT_EQ(verdict.ToStatus().code(), absl::StatusCode::kFailedPrecondition);
}

TEST(LaneCheckTest, NoTableIsUnprovenAndSaysHowToGetOne) {
  const auto verdict = CheckLane({}, kTcp);
  EXPECT_EQ(verdict.answer, LaneAnswer::kUnproven);
  EXPECT_THAT(verdict.text, HasSubstr("UCX_PROTO_INFO=y"));
}

TEST(LaneCheckTest, NoSizesAreUnproven) {
  LaneWanted wanted = kTcp;
  wanted.sizes.clear();
  EXPECT_EQ(CheckLane({Get({{0, kInf, "software emulation", "tcp/lo"}})}, wanted).answer,
            LaneAnswer::kUnproven);
}

TEST(LaneCheckTest, OtherOperationsScopesAndProcessesDoNotCount) {
  const std::vector<ProtocolRow> good = {{0, kInf, "software emulation", "tcp/lo"}};
  ProtocolTable put = Get(good);
  put.operation = "remote memory write by ucp_put* from host memory to host";
  ProtocolTable multi = Get(good);
  multi.operation = "remote memory read by ucp_get*(multi) into host memory from host";
  ProtocolTable cuda = Get(good);
  cuda.operation = "remote memory read by ucp_get* into cuda/GPU0 from host";
  for (const ProtocolTable& table :
       {put, multi, cuda, Get(good, Scope::kSelf), Get(good, Scope::kUnknown)}) {
    EXPECT_EQ(CheckLane({table}, kTcp).answer, LaneAnswer::kUnproven) << table.operation;
  }
  LaneWanted mine = kTcp;
  mine.pid = 43;
  EXPECT_EQ(CheckLane({Get(good)}, mine).answer, LaneAnswer::kUnproven);
  mine.pid = 42;
  EXPECT_EQ(CheckLane({Get(good)}, mine).answer, LaneAnswer::kAccepted);
  mine.scopes.push_back(Scope::kSelf);
  EXPECT_EQ(CheckLane({Get(good, Scope::kSelf)}, mine).answer, LaneAnswer::kAccepted);
}

TEST(LaneCheckTest, OfSeveralEndpointConfigurationsTheWorstDecides) {
  const auto good = Get({{0, kInf, "zero-copy", "rc_mlx5/mlx5_9:1"}});
  const auto bad = Get({{0, kInf, "software emulation", "rc_mlx5/mlx5_9:1"}});
  const auto gap = Get({{1 << 20, kInf, "zero-copy", "rc_mlx5/mlx5_9:1"}});
  EXPECT_EQ(CheckLane({good, bad}, kRc).answer, LaneAnswer::kRefused);
  EXPECT_EQ(CheckLane({bad, good}, kRc).answer, LaneAnswer::kRefused);
  EXPECT_EQ(CheckLane({good, gap}, kRc).answer, LaneAnswer::kUnproven);
  EXPECT_EQ(CheckLane({good, good}, kRc).answer, LaneAnswer::kAccepted);
}

TEST(LaneCheckTest, FindsTheTransportsOfACell) {
  EXPECT_THAT(TransportsOf("tcp/lo"), ElementsAre("tcp"));
  EXPECT_THAT(TransportsOf("rc_verbs/bond_0:1 50% on path0 and 50% on path1"),
              ElementsAre("rc_verbs"));
  EXPECT_THAT(TransportsOf("55% on cma/memory and 45% on rc_mlx5/mlx5_9:1"),
              ElementsAre("cma", "rc_mlx5"));
  EXPECT_TRUE(TransportsOf("").empty());
  EXPECT_TRUE(TransportsOf("no data fetch").empty());
}

}  // namespace
}  // namespace rdmalab::ucx
