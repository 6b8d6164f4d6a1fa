#include "engine/operations/memory_set.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace rdmalab {
namespace {

TEST(MemorySet, MakesAKindOnceAsLargeAsItsLargestCell) {
  MemorySet memory({{MemoryPlace::kHost, 10'000}});
  const auto first = memory.Get(MemoryPlace::kHost);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ((*first)->bytes(), 10'000);
  EXPECT_EQ(*memory.Get(MemoryPlace::kHost), *first) << "a second one would be registered again";
}

TEST(MemorySet, WithoutAGpuTheReasonIsToldAndHostMemoryIsStillThere) {
  MemorySet memory({{MemoryPlace::kHost, 100}, {MemoryPlace::kCuda, 100}}, "libno_cuda_here.so");
  EXPECT_TRUE(absl::IsUnimplemented(memory.Get(MemoryPlace::kCuda).status())) << "exit code 5";
  EXPECT_TRUE(memory.Get(MemoryPlace::kHost).ok());
}

TEST(MemorySet, AGpusMemoryComesFromItsDriver) {
  MemorySet memory({{MemoryPlace::kCuda, 100}}, "engine/memory/stand_in_libcuda.so");
  const auto made = memory.Get(MemoryPlace::kCuda);
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_FALSE((*made)->on_host());
}

}  // namespace
}  // namespace rdmalab
