#include "engine/verbs/poster.h"

#include <cerrno>

#include "engine/verbs/stand_in_provider.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace rdmalab::verbs {
namespace {

PosterOptions OptionsOf(StandInProvider& provider) {
  return {.pair = provider.pair(),
          .local_address = 1000,
          .remote_address = 5000,
          .bytes = 100,
          .stride = 128,
          .slots = 3,
          .signal_every = 4,
          .longest_list = 8};
}

TEST(Poster, EachMessageHasItsOwnSlotOnBothSides) {
  StandInProvider provider;
  provider.keep_requests = true;
  Poster<IBV_WR_RDMA_WRITE, false> poster(OptionsOf(provider));
  EXPECT_EQ(poster.Post(0, 2, false), 0);
  EXPECT_EQ(poster.Post(2, 3, false), 0);
  ASSERT_EQ(provider.seen.size(), 5);
  for (uint64_t i = 0; i < 5; ++i) {
    EXPECT_EQ(provider.seen[i].id, i + 1);
    EXPECT_EQ(provider.seen[i].local, 1000 + i % 3 * 128) << i;
    EXPECT_EQ(provider.seen[i].remote, 5000 + i % 3 * 128) << i;
    EXPECT_EQ(provider.seen[i].bytes, 100);
    EXPECT_FALSE(provider.seen[i].inlined);
  }
}

TEST(Poster, OneDoorbellPerList) {
  StandInProvider provider;
  Poster<IBV_WR_RDMA_WRITE, false> poster(OptionsOf(provider));
  poster.Post(0, 8, false);
  poster.Post(8, 1, false);
  poster.Post(9, 8, false);
  EXPECT_EQ(provider.doorbells, 3);
  EXPECT_EQ(provider.sent, 17) << "a short list before a long one must not cut it";
}

TEST(Poster, ACompletionForEachFourthAndForTheLast) {
  StandInProvider provider;
  provider.keep_requests = true;
  Poster<IBV_WR_RDMA_READ, false> poster(OptionsOf(provider));
  poster.Post(0, 8, false);
  poster.Post(8, 3, true);
  std::vector<uint64_t> signaled;
  for (const auto& each : provider.seen) {
    if (each.signaled) signaled.push_back(each.id);
  }
  EXPECT_THAT(signaled, testing::ElementsAre(4, 8, 11));
  Drainer drainer(provider.sends());
  EXPECT_EQ(drainer.Poll(), 11);
}

TEST(Poster, InlineIsAskedForWhereItIsMeant) {
  StandInProvider provider;
  provider.keep_requests = true;
  Poster<IBV_WR_SEND, true> poster(OptionsOf(provider));
  poster.Post(0, 4, false);
  for (const auto& each : provider.seen) EXPECT_TRUE(each.inlined);
}

TEST(Poster, TheErrorOfThePostIsReturned) {
  StandInProvider provider;
  provider.post_error = ENOMEM;
  Poster<IBV_WR_RDMA_WRITE, false> poster(OptionsOf(provider));
  EXPECT_EQ(poster.Post(0, 2, false), ENOMEM);
}

TEST(Drainer, TheFirstFailureIsKeptAndNothingAfterItCounts) {
  StandInProvider provider;
  provider.fail_at = 6;
  Poster<IBV_WR_RDMA_WRITE, false> poster(OptionsOf(provider));
  poster.Post(0, 8, false);
  poster.Post(8, 8, false);
  Drainer drainer(provider.sends());
  EXPECT_EQ(drainer.Poll(), 4);
  EXPECT_TRUE(drainer.failed());
  EXPECT_EQ(drainer.status(), IBV_WC_REM_ACCESS_ERR) << "not the flush that follows it";
  EXPECT_EQ(drainer.vendor_error(), 0x88);
  EXPECT_EQ(drainer.Poll(), 4);
  EXPECT_EQ(drainer.status(), IBV_WC_REM_ACCESS_ERR);
}

}  // namespace
}  // namespace rdmalab::verbs
