#include "engine/verbs/device.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace rdmalab::verbs {
namespace {

using testing::HasSubstr;

TEST(Device, AHostWithoutOneIsToldSoInWords) {
  if (!DeviceNames().empty()) GTEST_SKIP() << "this host has an RDMA device";
  const absl::Status status = Device::Open({.device = "mlx5_0:1"}).status();
  EXPECT_TRUE(absl::IsUnimplemented(status)) << "exit code 5: " << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("no RDMA device here"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("testbed softroce"));
}

TEST(Device, APortThatIsNoneIsRefusedBeforeAnythingIsOpened) {
  for (const char* text : {"rxe0:x", "rxe0:0", "rxe0:1:2", "rxe0:256"}) {
    const absl::Status status = Device::Open({.device = text}).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << text << ": " << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(text));
  }
}

TEST(Device, ADeviceThatIsNotThereIsAWrongLane) {
  if (DeviceNames().empty()) GTEST_SKIP() << "this host has no RDMA device to name instead";
  const absl::Status status = Device::Open({.device = "no_such_device"}).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << "exit code 3: " << status;
}

}  // namespace
}  // namespace rdmalab::verbs
