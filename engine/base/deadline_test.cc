#include "engine/base/deadline.h"

#include <limits>

#include "gtest/gtest.h"

namespace rdmalab {
namespace {

class DeadlineTest : public testing::Test {
 protected:
  std::atomic<int64_t> now_ns_ = 1'000;
  Clock clock_ = Clock::Simulated(&now_ns_);
};

TEST_F(DeadlineTest, ExpiresAtItsTime) {
  const Deadline deadline = Deadline::After(clock_, absl::Nanoseconds(500));
  now_ns_ = 1'499;
  EXPECT_FALSE(deadline.Expired());
  EXPECT_EQ(deadline.Remaining(), absl::Nanoseconds(1));
  now_ns_ = 1'500;
  EXPECT_TRUE(deadline.Expired());
  now_ns_ = 9'000;
  EXPECT_EQ(deadline.Remaining(), absl::ZeroDuration());
}

TEST_F(DeadlineTest, ANegativeTimeIsOverAtOnce) {
  EXPECT_TRUE(Deadline::After(clock_, absl::Nanoseconds(-1)).Expired());
}

TEST_F(DeadlineTest, PollTimeIsRoundedUpAndBounded) {
  EXPECT_EQ(Deadline::After(clock_, absl::Nanoseconds(1)).RemainingPollMs(), 1);
  EXPECT_EQ(Deadline::After(clock_, absl::Milliseconds(2)).RemainingPollMs(), 2);
  EXPECT_EQ(Deadline::After(clock_, absl::ZeroDuration()).RemainingPollMs(), 0);
  EXPECT_EQ(Deadline::After(clock_, absl::Hours(24 * 30)).RemainingPollMs(),
            std::numeric_limits<int>::max());
}

TEST_F(DeadlineTest, AStepNeverOutlivesTheWhole) {
  const Deadline whole = Deadline::After(clock_, absl::Nanoseconds(500));
  EXPECT_EQ(whole.AtMost(absl::Nanoseconds(100)).Remaining(), absl::Nanoseconds(100));
  EXPECT_EQ(whole.AtMost(absl::Nanoseconds(900)).Remaining(), absl::Nanoseconds(500));
}

}  // namespace
}  // namespace rdmalab
