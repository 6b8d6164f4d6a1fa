#include "engine/memory/cuda_memory.h"

#include <cstdlib>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace rdmalab {
namespace {

using testing::Each;
using testing::HasSubstr;

constexpr char kStandIn[] = "engine/memory/stand_in_libcuda.so";

class CudaMemoryTest : public testing::Test {
 protected:
  void TearDown() override { ::unsetenv("RDMALAB_STAND_IN_CUDA"); }

  static std::shared_ptr<const CudaDriver> Driver() {
    auto driver = CudaDriver::Load(kStandIn);
    EXPECT_TRUE(driver.ok()) << driver.status();
    return driver.ok() ? *driver : nullptr;
  }
};

TEST_F(CudaMemoryTest, AMachineWithoutTheLibraryIsToldSoInWords) {
  const absl::Status status = CudaDriver::Load("libno_such_cuda.so.1").status();
  EXPECT_TRUE(absl::IsUnimplemented(status)) << "exit code 5";
  EXPECT_THAT(std::string(status.message()), HasSubstr("memory: cuda cannot run here"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("choose memory: host"));
}

TEST_F(CudaMemoryTest, ADriverWithoutADeviceIsNoGpu) {
  ::setenv("RDMALAB_STAND_IN_CUDA", "none", 1);
  const absl::Status status = CudaDriver::Load(kStandIn).status();
  EXPECT_TRUE(absl::IsUnimplemented(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("no CUDA device"));
}

TEST_F(CudaMemoryTest, TellsDeviceAndVersion) {
  const auto driver = Driver();
  ASSERT_NE(driver, nullptr);
  EXPECT_EQ(driver->device_name(), "Stand-in GPU");
  EXPECT_EQ(driver->version(), 12040);
}

TEST_F(CudaMemoryTest, WhatIsEditedIsInTheDevicesMemory) {
  auto memory = CudaMemory::Create(Driver(), 10'000);
  ASSERT_TRUE(memory.ok()) << memory.status();
  EXPECT_FALSE((*memory)->on_host());
  EXPECT_TRUE((*memory)->dma_buf().has_value());
  ASSERT_TRUE((*memory)
                  ->Edit(100, 50,
                         [](absl::Span<uint8_t> bytes) {
                           for (uint8_t& byte : bytes) byte = 7;
                         })
                  .ok());
  std::vector<uint8_t> seen;
  ASSERT_TRUE((*memory)
                  ->Look(100, 50,
                         [&seen](absl::Span<const uint8_t> bytes) {
                           seen.assign(bytes.begin(), bytes.end());
                           return absl::OkStatus();
                         })
                  .ok());
  EXPECT_EQ(seen.size(), 50);
  EXPECT_THAT(seen, Each(7));
}

TEST_F(CudaMemoryTest, WithoutADmaBufOnlyPeerMemoryIsLeft) {
  ::setenv("RDMALAB_STAND_IN_CUDA", "no_dma_buf", 1);
  auto memory = CudaMemory::Create(Driver(), 4096);
  ASSERT_TRUE(memory.ok()) << memory.status();
  EXPECT_FALSE((*memory)->dma_buf().has_value());
}

TEST_F(CudaMemoryTest, MemoryThatTheDeviceHasNotIsRefusedWithItsSize) {
  const absl::Status status = CudaMemory::Create(Driver(), size_t{1} << 40).status();
  EXPECT_TRUE(absl::IsResourceExhausted(status));
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("cuMemAlloc(1099511627776 bytes on Stand-in GPU)"));
  EXPECT_TRUE(absl::IsInvalidArgument(CudaMemory::Create(Driver(), 0).status()));
}

}  // namespace
}  // namespace rdmalab
