#include "engine/rendezvous/lease_keeper.h"

#include <sys/socket.h>

#include <array>
#include <optional>
#include <vector>

#include "engine/rendezvous/wire.h"
#include "engine/testing/simulated_time.h"
#include "gtest/gtest.h"

namespace rdmalab {
namespace {

class RecordingChannel : public ControlChannel {
 public:
  absl::Status Send(const Request& request, ucx::Patience&) override {
    requests.push_back(request);
    return absl::OkStatus();
  }
  absl::StatusOr<const Received*> Poll() override { return nullptr; }
  void BeginChunks(const ChunkSink&) override {}
  void EndChunks() override {}

  std::vector<Request> requests;
};

class LeaseKeeperTest : public testing::Test {
 protected:
  LeaseKeeperTest() {
    std::array<int, 2> sockets{};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets.data()), 0);
    session_.emplace(*FrameConnection::Create(FileDescriptor(sockets[0]), "owner"));
    owner_ = FileDescriptor(sockets[1]);
    keeper_.emplace(*session_, time_.clock());
  }

  absl::Status Look() {
    const ucx::Liveness liveness = keeper_->liveness();
    return liveness.look(liveness.self);
  }
  void Hold() {
    keeper_->Hold(channel_,
                  {.kind = ReplyKind::kRdma, .lease_ms = 1000, .lease = 5, .generation = 6});
  }

  SimulatedTime time_;
  RecordingChannel channel_;
  std::optional<FrameConnection> session_;
  FileDescriptor owner_;
  std::optional<LeaseKeeper> keeper_;
};

TEST_F(LeaseKeeperTest, RenewsAfterEachHalfOfTheLease) {
  Hold();
  time_.Advance(absl::Milliseconds(499));
  EXPECT_TRUE(Look().ok());
  EXPECT_TRUE(channel_.requests.empty());
  time_.Advance(absl::Milliseconds(1));
  EXPECT_TRUE(Look().ok());
  ASSERT_EQ(channel_.requests.size(), 1u);
  EXPECT_EQ(channel_.requests[0].kind, RequestKind::kRenew);
  EXPECT_EQ(channel_.requests[0].lease, 5u);
  EXPECT_EQ(channel_.requests[0].generation, 6u);
  EXPECT_NE(channel_.requests[0].sequence & kNobodyWaits, 0u);
  EXPECT_TRUE(Look().ok());
  EXPECT_EQ(channel_.requests.size(), 1u) << "only once per half";
  time_.Advance(absl::Milliseconds(500));
  EXPECT_TRUE(Look().ok());
  EXPECT_EQ(keeper_->renewals(), 2u);
}

TEST_F(LeaseKeeperTest, ALeaseThatWasDroppedIsNotRenewed) {
  Hold();
  keeper_->Drop();
  time_.Advance(absl::Seconds(5));
  EXPECT_TRUE(Look().ok());
  EXPECT_TRUE(channel_.requests.empty());
}

TEST_F(LeaseKeeperTest, NoRenewalStandsInTheMiddleOfARequest) {
  Hold();
  time_.Advance(absl::Milliseconds(500));
  const std::vector<uint8_t> more_than_fits(4 << 20);
  int looks = 0;
  const absl::Status status = session_->Send(kFirstSessionFrame, {}, more_than_fits, [&] {
    EXPECT_TRUE(Look().ok());
    return ++looks < 3 ? absl::OkStatus() : absl::CancelledError("seen enough");
  });
  EXPECT_TRUE(absl::IsCancelled(status));
  EXPECT_TRUE(channel_.requests.empty());
}

TEST_F(LeaseKeeperTest, AnOwnerThatIsGoneIsUnavailable) {
  EXPECT_TRUE(Look().ok());
  owner_.Close();
  EXPECT_TRUE(absl::IsUnavailable(Look()));
}

}  // namespace
}  // namespace rdmalab
