// The consumer's questions over a socket pair; the owner's answers are the test's.
#include "engine/run/orchestration.h"

#include <sys/socket.h>

#include <array>
#include <optional>
#include <thread>
#include <vector>

#include "engine/rendezvous/wire.h"
#include "gtest/gtest.h"

namespace rdmalab {
namespace {

constexpr absl::Duration kEnough = absl::Seconds(20);
constexpr absl::Duration kShort = absl::Milliseconds(20);

class OrchestrationTest : public testing::Test {
 protected:
  OrchestrationTest() {
    std::array<int, 2> sockets{};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets.data()), 0);
    near_.emplace(*FrameConnection::Create(FileDescriptor(sockets[0]), "owner"));
    far_.emplace(*FrameConnection::Create(FileDescriptor(sockets[1]), "consumer"));
    orchestration_.emplace(*near_, clock_);
  }

  Deadline Soon() const { return Deadline::After(clock_, kEnough); }
  void AnswerDone(uint32_t value) {
    EXPECT_TRUE(SendNumber(*far_, kFrameDone, value, Soon()).ok());
  }

  const Clock clock_ = Clock::MonotonicRaw();
  std::optional<FrameConnection> near_;
  std::optional<FrameConnection> far_;
  std::optional<Orchestration> orchestration_;
};

TEST_F(OrchestrationTest, AsksAndWaitsForTheAnswer) {
  AnswerDone(7);
  const auto waited_ns = orchestration_->Stage(7, kEnough);
  ASSERT_TRUE(waited_ns.ok()) << waited_ns.status();
  EXPECT_GT(*waited_ns, 0);
  const auto asked = far_->PollMessage();
  ASSERT_TRUE(asked.ok() && asked->has_value());
  EXPECT_EQ((*asked)->type, kFrameStage);
  EXPECT_EQ(*ReadNumber((*asked)->payload), 7u);
}

TEST_F(OrchestrationTest, LateRepliesAreReadPastHoweverLong) {
  const std::vector<uint8_t> chunk(3 << 20);
  ASSERT_GT(chunk.size(), kMaxMessageBytes);
  std::jthread owner([&] {
    EXPECT_TRUE(far_->Send(kFrameReply, {}, chunk, Soon()).ok());
    EXPECT_TRUE(
        far_->Send(kFrameReply, {}, absl::MakeConstSpan(chunk).subspan(0, 48), Soon()).ok());
    AnswerDone(3);
  });
  const auto waited_ns = orchestration_->Next(3, kEnough);
  EXPECT_TRUE(waited_ns.ok()) << waited_ns.status();
}

TEST_F(OrchestrationTest, AnAnswerToAnotherQuestionIsRefused) {
  AnswerDone(4);
  EXPECT_TRUE(absl::IsDataLoss(orchestration_->Next(3, kEnough).status()));
}

TEST_F(OrchestrationTest, AnOwnerThatGaveUpEndsTheWaitWithItsReason) {
  const std::vector<uint8_t> why = {static_cast<uint8_t>(absl::StatusCode::kInternal), 'f', 'i',
                                    'r', 'e'};
  ASSERT_TRUE(far_->Send(kFrameRefused, why, {}, Soon()).ok());
  const absl::Status status = orchestration_->Bye(kEnough).status();
  EXPECT_TRUE(absl::IsUnavailable(status));
  EXPECT_NE(std::string(status.message()).find("fire"), std::string::npos) << status;
}

TEST_F(OrchestrationTest, ASilentOwnerEndsTheWaitAtItsDeadline) {
  EXPECT_TRUE(absl::IsDeadlineExceeded(orchestration_->Bye(kShort).status()));
}

}  // namespace
}  // namespace rdmalab
