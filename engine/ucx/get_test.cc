#include "engine/ucx/get.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "engine/ucx/connected_workers.h"
#include "gtest/gtest.h"

namespace rdmalab::ucx {
namespace {

constexpr size_t kArena = (size_t{4} << 20) + 4097;

class GetTest : public testing::TestWithParam<LaneUnderTest> {
 protected:
  void SetUp() override {
    auto workers = ConnectedWorkers::Create(GetParam());
    ASSERT_TRUE(workers.ok()) << workers.status();
    workers_ = *std::move(workers);
    for (size_t i = 0; i < kArena; ++i) source_[i] = static_cast<uint8_t>((i * 2654435761u) >> 13);
    auto memory = MappedMemory::Create(workers_->context(), source_.data(), source_.size());
    ASSERT_TRUE(memory.ok()) << memory.status();
    memory_.emplace(*std::move(memory));
    auto key = RemoteKey::Unpack(workers_->endpoint(), memory_->packed_key());
    ASSERT_TRUE(key.ok()) << key.status();
    key_.emplace(*std::move(key));
  }

  uint64_t RemoteAddress(size_t offset) const {
    return reinterpret_cast<uintptr_t>(source_.data() + offset);
  }

  std::vector<uint8_t> source_ = std::vector<uint8_t>(kArena);
  std::vector<uint8_t> destination_ = std::vector<uint8_t>(kArena);
  std::unique_ptr<ConnectedWorkers> workers_;
  std::optional<MappedMemory> memory_;  // these two go before the workers
  std::optional<RemoteKey> key_;
};

TEST_P(GetTest, ReadsWhatTheOwnerHasAndNothingMore) {
  for (const size_t bytes : {size_t{1}, size_t{8}, size_t{4096}, size_t{65537}, kArena - 64}) {
    std::fill(destination_.begin(), destination_.end(), uint8_t{0xee});
    Patience patience = ConnectedWorkers::Seconds(20);
    Request get = Get(workers_->endpoint(), {.to = destination_.data(),
                                             .bytes = bytes,
                                             .remote_address = RemoteAddress(64),
                                             .key = *key_});
    const absl::Status done = workers_->endpoint().Finish(get, patience);
    ASSERT_TRUE(done.ok()) << done << " at " << bytes;
    EXPECT_EQ(memcmp(destination_.data(), source_.data() + 64, bytes), 0) << bytes;
    EXPECT_TRUE(std::all_of(destination_.begin() + static_cast<std::ptrdiff_t>(bytes),
                            destination_.end(), [](uint8_t b) { return b == 0xee; }))
        << bytes;
  }
}

TEST_P(GetTest, ReadsIntoARegisteredDestination) {
  auto local = MappedMemory::Create(workers_->context(), destination_.data(), destination_.size());
  ASSERT_TRUE(local.ok()) << local.status();
  Patience patience = ConnectedWorkers::Seconds(20);
  Request get = Get(workers_->endpoint(), {.to = destination_.data() + 7,
                                           .bytes = 1 << 20,
                                           .remote_address = RemoteAddress(0),
                                           .key = *key_,
                                           .registered = &*local});
  ASSERT_TRUE(workers_->endpoint().Finish(get, patience).ok());
  EXPECT_EQ(memcmp(destination_.data() + 7, source_.data(), 1 << 20), 0);
}

TEST_P(GetTest, SeveralPiecesInFlightAreAllThere) {
  constexpr size_t kPiece = 256 << 10;
  std::vector<Request> pieces;
  for (size_t at = 0; at < 16 * kPiece; at += kPiece) {
    pieces.push_back(Get(workers_->endpoint(), {.to = destination_.data() + at,
                                                .bytes = kPiece,
                                                .remote_address = RemoteAddress(at),
                                                .key = *key_}));
  }
  Patience patience = ConnectedWorkers::Seconds(20);
  const absl::Status done = workers_->endpoint().FinishAll(absl::MakeSpan(pieces), patience);
  ASSERT_TRUE(done.ok()) << done;
  EXPECT_EQ(memcmp(destination_.data(), source_.data(), 16 * kPiece), 0);
}

TEST_P(GetTest, AnEndpointThatHasFailedRefusesEveryOperation) {
  Patience patience = ConnectedWorkers::Seconds(20);
  ASSERT_TRUE(workers_->endpoint().Close(patience).ok());
  Request get = Get(
      workers_->endpoint(),
      {.to = destination_.data(), .bytes = 1, .remote_address = RemoteAddress(0), .key = *key_});
  EXPECT_TRUE(get.Done());
  EXPECT_EQ(get.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(RemoteKey::Unpack(workers_->endpoint(), memory_->packed_key()).status().code(),
            absl::StatusCode::kUnavailable);
}

INSTANTIATE_TEST_SUITE_P(Lanes, GetTest, testing::Values(kTcp, kShm),
                         [](const auto& lane) { return lane.param.name; });

// The rule that protects memory: when this returns, UCX has let go of the destination.
TEST(GetDeadlineTest, EndsAPendingGetByAForcedCloseAndLeavesTheBufferFree) {
  auto workers = ConnectedWorkers::Create(kTcp);
  ASSERT_TRUE(workers.ok()) << workers.status();
  Endpoint& endpoint = (*workers)->endpoint();
  Patience connect = ConnectedWorkers::Seconds(20);
  ASSERT_TRUE(endpoint.Flush(connect).ok());
  std::vector<uint8_t> source(1 << 20), destination(1 << 20, 0xee);
  auto memory = MappedMemory::Create((*workers)->context(), source.data(), source.size());
  ASSERT_TRUE(memory.ok());
  auto key = RemoteKey::Unpack(endpoint, memory->packed_key());
  ASSERT_TRUE(key.ok());
  (*workers)->StopOwner();  // emulated in software: without the owner's progress nothing arrives

  std::vector<Request> gets;
  for (int i = 0; i < 3; ++i) {
    gets.push_back(Get(endpoint, {.to = destination.data(),
                                  .bytes = destination.size(),
                                  .remote_address = reinterpret_cast<uintptr_t>(source.data()),
                                  .key = *key}));
  }
  Patience patience(Deadline::After(Clock::MonotonicRaw(), absl::Milliseconds(50)));
  const absl::Status ended = endpoint.FinishAll(absl::MakeSpan(gets), patience);
  EXPECT_EQ(ended.code(), absl::StatusCode::kDeadlineExceeded) << ended;
  for (Request& get : gets) {
    EXPECT_TRUE(get.Done());
    EXPECT_EQ(get.outcome(), UCS_ERR_CANCELED);
  }
  EXPECT_TRUE(endpoint.failed());
  EXPECT_EQ(Request::abandoned(), 0u);
}

absl::Status PeerIsGone(void* looks) {
  ++*static_cast<int*>(looks);
  return absl::UnavailableError("the peer's connection was closed");
}

TEST(GetDeadlineTest, ALivenessLookEndsAPendingGetLongBeforeItsDeadline) {
  auto workers = ConnectedWorkers::Create(kTcp);
  ASSERT_TRUE(workers.ok()) << workers.status();
  (*workers)->StopOwner();
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
  int looks = 0;
  Patience patience(Deadline::After(Clock::MonotonicRaw(), absl::Hours(1)),
                    {.liveness = {&PeerIsGone, &looks}});
  const absl::Status ended = (*workers)->endpoint().Finish(get, patience);
  EXPECT_EQ(ended.code(), absl::StatusCode::kUnavailable) << ended;
  EXPECT_EQ(looks, 1);
  EXPECT_TRUE(get.Done());
}

}  // namespace
}  // namespace rdmalab::ucx
