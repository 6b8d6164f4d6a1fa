// The consumer's TCP channel against the owner's real answers, over a socket pair.
#include "engine/rendezvous/tcp_channel.h"

#include <sys/socket.h>

#include <array>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "engine/base/clock.h"
#include "engine/rendezvous/chunk_puller.h"
#include "engine/rendezvous/wire.h"
#include "gtest/gtest.h"

namespace rdmalab {
namespace {

std::vector<uint8_t> Counting(size_t bytes) {
  std::vector<uint8_t> data(bytes);
  for (size_t i = 0; i < bytes; ++i) data[i] = static_cast<uint8_t>(i * 7);
  return data;
}

class TcpChannelTest : public testing::Test {
 protected:
  TcpChannelTest() {
    std::array<int, 2> sockets{};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets.data()), 0);
    near_.emplace(*FrameConnection::Create(FileDescriptor(sockets[0]), "owner"));
    far_.emplace(*FrameConnection::Create(FileDescriptor(sockets[1]), "consumer"));
    channel_ = std::make_unique<TcpChannel>(*near_);
  }

  Deadline Soon() const { return Deadline::After(clock_, absl::Seconds(20)); }
  void Answer(const Reply& reply, absl::Span<const uint8_t> data) {
    ASSERT_TRUE(far_->Send(kFrameReply, EncodeReply(reply), data, Soon()).ok());
  }
  // Polls until there is a reply or an error.
  absl::StatusOr<const ControlChannel::Received*> Next() {
    const Deadline deadline = Soon();
    while (!deadline.Expired()) {
      auto received = channel_->Poll();
      if (!received.ok() || *received != nullptr) return received;
    }
    return absl::DeadlineExceededError("no reply");
  }

  const Clock clock_ = Clock::MonotonicRaw();
  std::optional<FrameConnection> near_;
  std::optional<FrameConnection> far_;
  std::unique_ptr<TcpChannel> channel_;
};

TEST_F(TcpChannelTest, ARequestArrivesAsItWasSent) {
  ucx::Patience patience(Soon());
  ASSERT_TRUE(
      channel_->Send({.kind = RequestKind::kAcquire, .slot = 5, .length = 9}, patience).ok());
  auto message = far_->PollMessage();
  ASSERT_TRUE(message.ok() && message->has_value());
  EXPECT_EQ((*message)->type, kFrameRequest);
  EXPECT_EQ(DecodeRequest((*message)->payload)->slot, 5u);
}

TEST_F(TcpChannelTest, AReplyComesWithItsDescriptor) {
  const std::vector<uint8_t> descriptor = Counting(51);
  Answer({.kind = ReplyKind::kRdma, .sequence = 3, .data_bytes = 51}, descriptor);
  auto received = Next();
  ASSERT_TRUE(received.ok()) << received.status();
  EXPECT_EQ((*received)->reply.sequence, 3u);
  EXPECT_EQ(std::vector<uint8_t>((*received)->data.begin(), (*received)->data.end()), descriptor);
}

TEST_F(TcpChannelTest, ChunksLandInTheirPlaces) {
  std::vector<uint8_t> to(3000);
  channel_->BeginChunks({.to = absl::MakeSpan(to), .first_sequence = 10});
  const std::vector<uint8_t> data = Counting(3000);
  const auto span = absl::MakeConstSpan(data);
  for (const uint32_t chunk : {2u, 0u, 1u}) {
    Answer({.kind = ReplyKind::kChunk,
            .sequence = 10 + chunk,
            .offset = chunk * 1000,
            .length = 1000,
            .data_bytes = 1000},
           span.subspan(chunk * 1000, 1000));
    ASSERT_TRUE(Next().ok());
  }
  EXPECT_EQ(to, data);
}

TEST_F(TcpChannelTest, ChunksOfAnEarlierPullAndOutsideTheDestinationAreThrownAway) {
  std::vector<uint8_t> to(1000, 0xee);
  channel_->BeginChunks({.to = absl::MakeSpan(to), .first_sequence = 10});
  const std::vector<uint8_t> data = Counting(800);
  struct Stray {
    uint32_t sequence;
    uint64_t offset, length;
  };
  for (const Stray& stray :
       {Stray{9, 0, 800}, Stray{10, 201, 800}, Stray{10, ~uint64_t{0}, 800}, Stray{10, 0, 801}}) {
    Answer({.kind = ReplyKind::kChunk,
            .sequence = stray.sequence,
            .offset = stray.offset,
            .length = stray.length,
            .data_bytes = 800},
           data);
  }
  Answer({.kind = ReplyKind::kDone, .sequence = 11}, {});
  auto received = Next();
  ASSERT_TRUE(received.ok()) << received.status();
  EXPECT_EQ((*received)->reply.kind, ReplyKind::kDone);
  EXPECT_EQ(to, std::vector<uint8_t>(1000, 0xee));
}

TEST_F(TcpChannelTest, RepliesThatNobodyWaitsForArePassedOver) {
  Answer({.kind = ReplyKind::kDone, .sequence = 4 | kNobodyWaits}, {});
  Answer({.kind = ReplyKind::kDone, .sequence = 5}, {});
  auto received = Next();
  ASSERT_TRUE(received.ok()) << received.status();
  EXPECT_EQ((*received)->reply.sequence, 5u);
}

TEST_F(TcpChannelTest, ARecordThatLiesAboutItsDataIsRefused) {
  Answer({.kind = ReplyKind::kRdma, .data_bytes = 52}, Counting(51));
  EXPECT_TRUE(absl::IsDataLoss(Next().status()));
}

TEST_F(TcpChannelTest, AFrameThatIsNoReplyIsRefused) {
  ASSERT_TRUE(far_->Send(kFrameRequest, Counting(48), {}, Soon()).ok());
  EXPECT_TRUE(absl::IsDataLoss(Next().status()));
}

TEST_F(TcpChannelTest, AnOwnerThatIsGoneIsUnavailable) {
  far_.reset();
  EXPECT_TRUE(absl::IsUnavailable(Next().status()));
}

TEST_F(TcpChannelTest, ASilentOwnerEndsACallAtItsDeadline) {
  ucx::Patience patience(Deadline::After(clock_, absl::Milliseconds(20)));
  EXPECT_TRUE(absl::IsDeadlineExceeded(Call(*channel_, {}, patience).status()));
}

}  // namespace
}  // namespace rdmalab
