#include "engine/ucx/endpoint.h"

#include <vector>

#include "engine/ucx/connected_workers.h"
#include "engine/ucx/get.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace rdmalab::ucx {
namespace {

using testing::Contains;
using testing::Not;
using testing::StartsWith;

class EndpointTest : public testing::TestWithParam<LaneUnderTest> {
 protected:
  void SetUp() override {
    auto workers = ConnectedWorkers::Create(GetParam());
    ASSERT_TRUE(workers.ok()) << workers.status();
    workers_ = *std::move(workers);
  }

  std::unique_ptr<ConnectedWorkers> workers_;
};

TEST_P(EndpointTest, AFlushConnects) {
  Patience patience = ConnectedWorkers::Seconds(20);
  const absl::Status flushed = workers_->endpoint().Flush(patience);
  EXPECT_TRUE(flushed.ok()) << flushed;
  EXPECT_FALSE(workers_->endpoint().failed());
}

TEST_P(EndpointTest, NamesTheTransportsOfItsLanes) {
  const auto transports = workers_->endpoint().Transports();
  ASSERT_TRUE(transports.ok()) << transports.status();
  const bool tcp = GetParam().name == "tcp";
  EXPECT_THAT(*transports, Contains(StartsWith(tcp ? "tcp/" : "posix/")));
  EXPECT_THAT(*transports, Not(Contains(StartsWith(tcp ? "posix/" : "tcp/"))));
}

TEST_P(EndpointTest, AClosedEndpointHasFailedAndIsRefused) {
  Patience patience = ConnectedWorkers::Seconds(20);
  Endpoint& endpoint = workers_->endpoint();
  ASSERT_TRUE(endpoint.Close(patience).ok());
  EXPECT_TRUE(endpoint.failed());
  EXPECT_EQ(endpoint.Flush(patience).code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(endpoint.Transports().status().code(), absl::StatusCode::kUnavailable);
  EXPECT_TRUE(endpoint.Close(patience).ok());
}

TEST_P(EndpointTest, RefusesAnAddressThatIsNone) {
  for (const absl::string_view address : {"", "12345678"}) {
    EXPECT_EQ(Endpoint::Create(workers_->consumer(), address, {}).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
}

INSTANTIATE_TEST_SUITE_P(Lanes, EndpointTest, testing::Values(kTcp, kShm),
                         [](const auto& lane) { return lane.param.name; });

TEST(EndpointFailureTest, AForcedCloseNeedsPeerErrorHandling) {
  auto workers = ConnectedWorkers::Create(kShm);
  ASSERT_TRUE(workers.ok()) << workers.status();
  EXPECT_EQ((*workers)->endpoint().ForceClose().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_FALSE((*workers)->endpoint().failed());
}

TEST(EndpointFailureTest, SharedMemoryHasNoPeerErrorHandling) {
  LaneUnderTest lane = kShm;
  lane.error_handling = ErrorHandling::kPeer;
  const auto workers = ConnectedWorkers::Create(lane);
  EXPECT_EQ(workers.status().code(), absl::StatusCode::kFailedPrecondition) << workers.status();
}

TEST(EndpointFailureTest, AFlushEndsWithItsDeadlineWhenNobodyAnswers) {
  for (const LaneUnderTest& lane : {kTcp, kShm}) {
    auto workers = ConnectedWorkers::Create(lane);
    ASSERT_TRUE(workers.ok()) << workers.status();
    (*workers)->StopOwner();
    Endpoint& endpoint = (*workers)->endpoint();
    Patience patience(Deadline::After(Clock::MonotonicRaw(), absl::Milliseconds(20)));
    const absl::Status flushed = endpoint.Flush(patience);
    // Shared memory needs no answer to attach; the kernel may accept a connection for the owner.
    if (!flushed.ok()) {
      EXPECT_EQ(flushed.code(), absl::StatusCode::kDeadlineExceeded) << flushed;
      EXPECT_TRUE(endpoint.failed());
    }
    EXPECT_EQ(Request::abandoned(), 0u);
  }
}

TEST(EndpointFailureTest, APeerThatGoesAwayFailsTheEndpointAndWhatIsPending) {
  auto workers = ConnectedWorkers::Create(kTcp);
  ASSERT_TRUE(workers.ok()) << workers.status();
  Endpoint& endpoint = (*workers)->endpoint();
  Patience patience = ConnectedWorkers::Seconds(20);
  ASSERT_TRUE(endpoint.Flush(patience).ok());
  std::vector<uint8_t> source(1 << 20), destination(1 << 20);
  auto memory = MappedMemory::Create((*workers)->context(), source.data(), source.size());
  ASSERT_TRUE(memory.ok());
  auto key = RemoteKey::Unpack(endpoint, memory->packed_key());
  ASSERT_TRUE(key.ok());
  (*workers)->StopOwner();
  Request get = Get(endpoint, {.to = destination.data(),
                               .bytes = destination.size(),
                               .remote_address = reinterpret_cast<uintptr_t>(source.data()),
                               .key = *key});
  (*workers)->DestroyOwner();
  const absl::Status ended = endpoint.Finish(get, patience);
  EXPECT_EQ(ended.code(), absl::StatusCode::kUnavailable) << ended;
  EXPECT_TRUE(get.Done());
  EXPECT_TRUE(endpoint.failed());
  EXPECT_EQ(endpoint.failure().code(), absl::StatusCode::kUnavailable) << endpoint.failure();
}

}  // namespace
}  // namespace rdmalab::ucx
