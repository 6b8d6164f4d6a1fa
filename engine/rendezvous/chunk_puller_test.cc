#include "engine/rendezvous/chunk_puller.h"

#include <cstring>
#include <deque>
#include <functional>
#include <numeric>
#include <vector>

#include "engine/testing/simulated_time.h"
#include "gtest/gtest.h"

namespace rdmalab {
namespace {

// A channel whose owner is the test: keeps requests, answers when told, in any order, and may lie.
class FakeChannel : public ControlChannel {
 public:
  absl::Status Send(const Request& request, ucx::Patience&) override {
    requests.push_back(request);
    deepest = std::max(deepest, requests.size());
    return absl::OkStatus();
  }

  absl::StatusOr<const Received*> Poll() override {
    if (requests.empty()) return nullptr;
    const Request request = newest_first ? requests.back() : requests.front();
    newest_first ? requests.pop_back() : requests.pop_front();
    received_.reply = {.kind = ReplyKind::kChunk,
                       .sequence = request.sequence,
                       .offset = request.offset,
                       .length = request.length};
    for (uint64_t i = 0; i < request.length; ++i) {
      sink_.to[request.offset + i] = static_cast<uint8_t>(request.offset + i);
    }
    if (lie) lie(received_.reply);
    return &received_;
  }

  void BeginChunks(const ChunkSink& sink) override { sink_ = sink; }
  void EndChunks() override { ended = true; }

  std::deque<Request> requests;
  size_t deepest = 0;
  bool newest_first = false;
  bool ended = false;
  std::function<void(Reply&)> lie;

 private:
  ChunkSink sink_;
  Received received_;
};

class ChunkPullerTest : public testing::Test {
 protected:
  absl::StatusOr<uint32_t> Pull(size_t depth, size_t chunk_bytes = 1000) {
    ucx::Patience patience(Deadline::After(time_.clock(), absl::Seconds(1)));
    return puller_.Pull(channel_, {.chunk_bytes = chunk_bytes, .depth = depth}, absl::MakeSpan(to_),
                        patience);
  }
  void ExpectWhole() const {
    for (size_t i = 0; i < to_.size(); ++i) ASSERT_EQ(to_[i], static_cast<uint8_t>(i)) << i;
  }

  SimulatedTime time_;
  FakeChannel channel_;
  ChunkPuller puller_;
  std::vector<uint8_t> to_ = std::vector<uint8_t>(4321);
};

TEST_F(ChunkPullerTest, FillsTheDestinationWithAShortLastChunk) {
  auto chunks = Pull(1);
  ASSERT_TRUE(chunks.ok()) << chunks.status();
  EXPECT_EQ(*chunks, 5u);
  EXPECT_EQ(channel_.deepest, 1u);
  EXPECT_TRUE(channel_.ended);
  ExpectWhole();
}

TEST_F(ChunkPullerTest, KeepsAsManyInFlightAsAsked) {
  ASSERT_TRUE(Pull(3).ok());
  EXPECT_EQ(channel_.deepest, 3u);
  ExpectWhole();
}

TEST_F(ChunkPullerTest, TakesChunksInAnyOrder) {
  channel_.newest_first = true;
  ASSERT_TRUE(Pull(4).ok());
  ExpectWhole();
}

TEST_F(ChunkPullerTest, OneChunkMayHoldAll) {
  EXPECT_EQ(*Pull(8, 1 << 20), 1u);
  ExpectWhole();
}

TEST_F(ChunkPullerTest, AChunkInAnothersPlaceIsRefused) {
  channel_.lie = [](Reply& reply) {
    if (reply.offset == 1000) reply.offset = 2000;
  };
  EXPECT_TRUE(absl::IsDataLoss(Pull(2).status()));
  EXPECT_TRUE(channel_.ended);
}

TEST_F(ChunkPullerTest, AShorterChunkIsRefused) {
  channel_.lie = [](Reply& reply) { reply.length -= 1; };
  EXPECT_TRUE(absl::IsDataLoss(Pull(1).status()));
}

TEST_F(ChunkPullerTest, AChunkThatComesTwiceIsRefused) {
  uint32_t first = 0;
  channel_.lie = [&first](Reply& reply) {
    if (first == 0) first = reply.sequence;
    reply.sequence = first;
    reply.offset = 0;
  };
  EXPECT_TRUE(absl::IsDataLoss(Pull(2).status()));
}

TEST_F(ChunkPullerTest, AStaleLeaseEndsThePull) {
  channel_.lie = [](Reply& reply) { reply.kind = ReplyKind::kStale; };
  EXPECT_TRUE(absl::IsAborted(Pull(1).status()));
}

}  // namespace
}  // namespace rdmalab
