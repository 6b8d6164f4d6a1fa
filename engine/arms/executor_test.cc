#include "engine/arms/executor.h"

#include <thread>

#include "gtest/gtest.h"

namespace rdmalab {
namespace {

TEST(InlineExecutor, WorksOnTheCallersThread) {
  InlineExecutor executor;
  std::thread::id where;
  executor.Run([&] { where = std::this_thread::get_id(); });
  EXPECT_EQ(where, std::this_thread::get_id());
}

class ThreadExecutorSpinning : public testing::TestWithParam<absl::Duration> {};

TEST_P(ThreadExecutorSpinning, WorksOnOneOtherThreadAndInOrder) {
  ThreadExecutor executor(GetParam(), Clock::MonotonicRaw());
  std::thread::id where;
  executor.Run([&] { where = std::this_thread::get_id(); });
  EXPECT_NE(where, std::this_thread::get_id());
  int sum = 0;
  for (int i = 0; i < 2000; ++i) {
    executor.Run([&, i] {
      EXPECT_EQ(std::this_thread::get_id(), where);
      EXPECT_EQ(sum, i);
      ++sum;
    });
    ASSERT_EQ(sum, i + 1) << "Run returned before the work was done";
  }
}

TEST_P(ThreadExecutorSpinning, EndsWithoutEverHavingWorked) {
  const ThreadExecutor executor(GetParam(), Clock::MonotonicRaw());
}

INSTANTIATE_TEST_SUITE_P(NotAtAllAndForAWhile, ThreadExecutorSpinning,
                         testing::Values(absl::ZeroDuration(), absl::Microseconds(50)));

}  // namespace
}  // namespace rdmalab
