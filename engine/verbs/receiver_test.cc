#include "engine/verbs/receiver.h"

#include "engine/verbs/stand_in_provider.h"
#include "gtest/gtest.h"

namespace rdmalab::verbs {
namespace {

class ReceiverTest : public testing::Test {
 protected:
  ReceiverOptions Options() {
    return {.pair = provider_.pair(),
            .receive_completions = provider_.receives(),
            .send_completions = provider_.sends(),
            .bytes = 64,
            .stride = 64,
            .slots = 5,
            .depth = 16,
            .batch = 4,
            .mailbox = reinterpret_cast<uintptr_t>(&mailbox_)};
  }

  StandInProvider provider_;
  uint64_t mailbox_ = 16;
};

TEST_F(ReceiverTest, PostsItsWholeDepthBeforeAnyoneMaySend) {
  Receiver receiver(Options());
  EXPECT_EQ(receiver.Start(), 0);
  EXPECT_EQ(provider_.receives_posted(), 16);
  EXPECT_TRUE(receiver.Serve());
  EXPECT_EQ(mailbox_, 16) << "no credit for what was not used";
}

TEST_F(ReceiverTest, PostsAgainInBatchesAndGivesACreditForEach) {
  Receiver receiver(Options());
  ASSERT_EQ(receiver.Start(), 0);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(provider_.Deliver());
  EXPECT_TRUE(receiver.Serve());
  EXPECT_EQ(receiver.received(), 3);
  EXPECT_EQ(mailbox_, 16) << "less than a batch is used";
  ASSERT_TRUE(provider_.Deliver());
  EXPECT_TRUE(receiver.Serve());
  EXPECT_EQ(mailbox_, 20);
  EXPECT_EQ(provider_.receives_posted(), 16);
}

TEST_F(ReceiverTest, ASenderThatHeedsItsCreditsNeverFindsTheReceiverNotReady) {
  Receiver receiver(Options());
  ASSERT_EQ(receiver.Start(), 0);
  uint64_t sent = 0;
  for (int turn = 0; turn < 10'000; ++turn) {
    while (sent < mailbox_) {
      ASSERT_TRUE(provider_.Deliver()) << "after " << sent;
      ++sent;
    }
    ASSERT_TRUE(receiver.Serve());
  }
  EXPECT_EQ(receiver.received(), sent);
  EXPECT_GT(sent, 10'000);
}

TEST_F(ReceiverTest, ACreditThatFoundNoRoomIsGivenLater) {
  Receiver receiver(Options());
  ASSERT_EQ(receiver.Start(), 0);
  provider_.hold_back = true;  // credits stay in flight
  for (int i = 0; i < 200; ++i) {
    for (int k = 0; k < 4; ++k) ASSERT_TRUE(provider_.Deliver());
    ASSERT_TRUE(receiver.Serve());
  }
  EXPECT_LT(mailbox_, 16 + 800);
  provider_.hold_back = false;
  ASSERT_TRUE(receiver.Serve());
  EXPECT_EQ(mailbox_, 16 + 800) << "a sender that waits for it would wait for ever";
}

TEST_F(ReceiverTest, ARefusedCreditIsAFailure) {
  Receiver receiver(Options());
  ASSERT_EQ(receiver.Start(), 0);
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(provider_.Deliver());
  provider_.post_error = 5;
  EXPECT_FALSE(receiver.Serve());
  EXPECT_EQ(receiver.error(), 5);
}

}  // namespace
}  // namespace rdmalab::verbs
