#include "engine/memory/operation_memory.h"

#include "gtest/gtest.h"

namespace rdmalab {
namespace {

TEST(HostMemory, EditsAndLooksInPlace) {
  auto memory = HostMemory::Create({.bytes = 1000});
  ASSERT_TRUE(memory.ok()) << memory.status();
  EXPECT_EQ((*memory)->bytes(), 1000);
  EXPECT_TRUE((*memory)->on_host());
  EXPECT_FALSE((*memory)->dma_buf().has_value());
  ASSERT_TRUE((*memory)->Edit(10, 1, [](absl::Span<uint8_t> bytes) { bytes[0] = 42; }).ok());
  EXPECT_EQ((*memory)->address()[10], 42);
  const absl::Status seen = (*memory)->Look(10, 1, [](absl::Span<const uint8_t> bytes) {
    return bytes[0] == 42 ? absl::OkStatus() : absl::DataLossError("not 42");
  });
  EXPECT_TRUE(seen.ok()) << seen;
}

TEST(HostMemory, WhatTheLookSaysIsPassedOn) {
  auto memory = HostMemory::Create({.bytes = 8});
  ASSERT_TRUE(memory.ok());
  EXPECT_EQ(
      (*memory)->Look(0, 8, [](absl::Span<const uint8_t>) { return absl::DataLossError("wrong"); }),
      absl::DataLossError("wrong"));
}

TEST(HostMemory, NothingIsNoMemory) {
  EXPECT_TRUE(absl::IsInvalidArgument(HostMemory::Create({.bytes = 0}).status()));
}

}  // namespace
}  // namespace rdmalab
