#include "engine/results/progress.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "engine/testing/simulated_time.h"
#include "gtest/gtest.h"

namespace rdmalab {
namespace {

class ProgressTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(pipe2(ends_, O_NONBLOCK), 0);
    time_.Advance(absl::Seconds(5));
  }
  void TearDown() override {
    close(ends_[0]);
    close(ends_[1]);
  }

  // What has been written since the last call.
  std::string Written() {
    char text[4096];
    const ssize_t got = read(ends_[0], text, sizeof(text));
    return got > 0 ? std::string(text, static_cast<size_t>(got)) : "";
  }

  int ends_[2] = {};
  SimulatedTime time_;
};

TEST_F(ProgressTest, WritesTheFirstLineAtOnce) {
  Progress progress(time_.clock(), ends_[1]);
  progress.Report({.done = 1, .of = 40, .block = 2, .cell = 3});
  EXPECT_EQ(Written(), "{\"kind\":\"progress\",\"done\":1,\"of\":40,\"block\":2,\"cell\":3}\n");
}

TEST_F(ProgressTest, WritesAtMostTenASecond) {
  Progress progress(time_.clock(), ends_[1]);
  int lines = 0;
  for (int done = 0; done < 1000; ++done) {
    progress.Report({.done = done, .of = 1000});
    lines += Written().empty() ? 0 : 1;
    time_.Advance(absl::Milliseconds(1));
  }
  EXPECT_EQ(lines, 10);
}

TEST_F(ProgressTest, WritesTheLastLineWhenever) {
  Progress progress(time_.clock(), ends_[1]);
  progress.Report({.done = 1, .of = 3});
  progress.Report({.done = 2, .of = 3});
  progress.Report({.done = 3, .of = 3});
  const std::string written = Written();
  EXPECT_EQ(written.find("\"done\":2"), std::string::npos);
  EXPECT_NE(written.find("\"done\":3"), std::string::npos);
}

TEST_F(ProgressTest, AReaderThatIsGoneDoesNotEndTheRun) {
  std::signal(SIGPIPE, SIG_IGN);  // as the engine's main does
  close(ends_[0]);
  Progress progress(time_.clock(), ends_[1]);
  progress.Report({.done = 1, .of = 1});
}

}  // namespace
}  // namespace rdmalab
