#include "engine/base/log.h"

#include "gtest/gtest.h"

namespace rdmalab {
namespace {

TEST(Log, WritesOneLinePerCall) {
  testing::internal::CaptureStderr();
  LogInfo("owner", "listening on 127.0.0.1");
  LogWarning("lane_check", "two\nlines");
  LogError("main", "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "I owner: listening on 127.0.0.1\nW lane_check: two\\nlines\nE main: \n");
}

}  // namespace
}  // namespace rdmalab
