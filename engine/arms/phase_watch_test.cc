#include "engine/arms/phase_watch.h"

#include "engine/testing/simulated_time.h"
#include "gtest/gtest.h"

namespace rdmalab {
namespace {

TEST(PhaseWatch, PhasesAddUpToTheTotal) {
  SimulatedTime time;
  time.Advance(absl::Nanoseconds(1000));
  PhaseWatch watch(time.clock(), Phase::kAcquire);
  time.Advance(absl::Nanoseconds(3));
  watch.Enter(Phase::kWireup);
  time.Advance(absl::Nanoseconds(50));
  watch.Enter(Phase::kTransfer);
  time.Advance(absl::Nanoseconds(7));
  watch.Enter(Phase::kCopy);
  time.Advance(absl::Nanoseconds(11));
  watch.Stop();
  EXPECT_EQ(watch.start_ns(), 1000);
  EXPECT_EQ(watch.spent_ns(Phase::kAcquire), 3);
  EXPECT_EQ(watch.spent_ns(Phase::kWireup), 50);
  EXPECT_EQ(watch.spent_ns(Phase::kTransfer), 7);
  EXPECT_EQ(watch.spent_ns(Phase::kCopy), 11);
  EXPECT_EQ(watch.total_ns(), 71);
}

TEST(PhaseWatch, APhaseThatIsEnteredAgainGoesOnCounting) {
  SimulatedTime time;
  PhaseWatch watch(time.clock(), Phase::kTransfer);
  time.Advance(absl::Nanoseconds(5));
  watch.Enter(Phase::kTransfer);
  time.Advance(absl::Nanoseconds(6));
  watch.Stop();
  EXPECT_EQ(watch.spent_ns(Phase::kTransfer), 11);
}

TEST(PhaseWatch, KnowsWhatWasReached) {
  SimulatedTime time;
  PhaseWatch watch(time.clock(), Phase::kAcquire);
  watch.Enter(Phase::kTransfer);
  EXPECT_TRUE(watch.entered(Phase::kAcquire));
  EXPECT_TRUE(watch.entered(Phase::kTransfer));
  EXPECT_FALSE(watch.entered(Phase::kCopy));
  EXPECT_EQ(watch.phase(), Phase::kTransfer);
}

}  // namespace
}  // namespace rdmalab
