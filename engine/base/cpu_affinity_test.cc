#include "engine/base/cpu_affinity.h"

#include <sched.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace rdmalab {
namespace {

TEST(CpuAffinity, FollowsWhatTheThreadIsPinnedTo) {
  const absl::StatusOr<std::vector<int>> before = AllowedCpus();
  ASSERT_TRUE(before.ok()) << before.status();
  ASSERT_FALSE(before->empty());

  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<size_t>(before->back()), &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
  const absl::StatusOr<std::vector<int>> after = AllowedCpus();
  ASSERT_TRUE(after.ok());
  EXPECT_THAT(*after, testing::ElementsAre(before->back()));
}

}  // namespace
}  // namespace rdmalab
