#include "engine/ucx/patience.h"

#include <signal.h>

#include <atomic>

#include "engine/base/stop_signal.h"
#include "gtest/gtest.h"

namespace rdmalab::ucx {
namespace {

class PatienceTest : public testing::Test {
 protected:
  Deadline In(absl::Duration duration) const { return Deadline::After(clock_, duration); }
  void Pass(absl::Duration duration) { now_ns_ += absl::ToInt64Nanoseconds(duration); }

  std::atomic<int64_t> now_ns_ = 1000;
  Clock clock_ = Clock::Simulated(&now_ns_);
};

// The look comes at the latest after this many spins.
constexpr int kEnough = 64;

bool SpinsOn(Patience& patience) {
  for (int i = 0; i < kEnough; ++i) {
    if (!patience.Spin()) return false;
  }
  return true;
}

TEST_F(PatienceTest, LastsUntilItsDeadline) {
  Patience patience(In(absl::Seconds(1)));
  EXPECT_TRUE(SpinsOn(patience));
  Pass(absl::Milliseconds(999));
  EXPECT_TRUE(SpinsOn(patience));
  EXPECT_TRUE(patience.verdict().ok());
  Pass(absl::Milliseconds(2));
  EXPECT_FALSE(SpinsOn(patience));
  EXPECT_EQ(patience.verdict().code(), absl::StatusCode::kDeadlineExceeded);
}

TEST_F(PatienceTest, StaysOverOnceItIsOver) {
  Patience patience(In(absl::ZeroDuration()));
  Pass(absl::Nanoseconds(1));
  EXPECT_FALSE(SpinsOn(patience));
  EXPECT_FALSE(SpinsOn(patience));
}

struct Peer {
  int looks = 0;
  absl::Status state;
  static absl::Status Look(void* self) {
    Peer& peer = *static_cast<Peer*>(self);
    ++peer.looks;
    return peer.state;
  }
};

TEST_F(PatienceTest, LooksAtThePeerOncePerMillisecond) {
  Peer peer;
  Patience patience(In(absl::Seconds(1)), {.liveness = {&Peer::Look, &peer}});
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(SpinsOn(patience));
  EXPECT_EQ(peer.looks, 1);
  Pass(absl::Milliseconds(1));
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(SpinsOn(patience));
  EXPECT_EQ(peer.looks, 2);
}

TEST_F(PatienceTest, EndsWithWhatTheLookSays) {
  Peer peer{.state = absl::UnavailableError("gone")};
  Patience patience(In(absl::Seconds(1)), {.liveness = {&Peer::Look, &peer}});
  EXPECT_FALSE(SpinsOn(patience));
  EXPECT_EQ(patience.verdict(), peer.state);
}

TEST_F(PatienceTest, HeedsAStopSignalUnlessTearingDown) {
  StopSignal::Install();
  raise(SIGTERM);
  Patience working(In(absl::Seconds(1)));
  Patience tearing_down(In(absl::Seconds(1)), {.heed_stop_signal = false});
  EXPECT_FALSE(SpinsOn(working));
  EXPECT_EQ(working.verdict().code(), absl::StatusCode::kCancelled);
  EXPECT_TRUE(SpinsOn(tearing_down));
  StopSignal::Reset();
}

}  // namespace
}  // namespace rdmalab::ucx
