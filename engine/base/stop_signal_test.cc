#include "engine/base/stop_signal.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>

#include "gtest/gtest.h"

namespace rdmalab {
namespace {

class StopSignalTest : public testing::Test {
 protected:
  void SetUp() override {
    StopSignal::Reset();
    StopSignal::Install();
  }
};

TEST_F(StopSignalTest, NothingIsAskedAtFirst) {
  EXPECT_FALSE(StopSignal::Requested());
  EXPECT_TRUE(StopSignal::Check().ok());
}

TEST_F(StopSignalTest, NamesTheSignal) {
  raise(SIGTERM);
  EXPECT_EQ(StopSignal::Check(), absl::CancelledError("stopped by SIGTERM"));
  StopSignal::Reset();
  raise(SIGINT);
  EXPECT_EQ(StopSignal::Check(), absl::CancelledError("stopped by SIGINT"));
}

TEST_F(StopSignalTest, AWriteToALostPeerIsAnErrorAndNoDeath) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[0]);
  EXPECT_EQ(write(ends[1], "x", 1), -1);
  EXPECT_EQ(errno, EPIPE);
  close(ends[1]);
}

}  // namespace
}  // namespace rdmalab
