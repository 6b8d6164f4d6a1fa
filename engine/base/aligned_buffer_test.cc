#include "engine/base/aligned_buffer.h"

#include <algorithm>
#include <cstdint>

#include "engine/base/page_faults.h"
#include "gtest/gtest.h"

namespace rdmalab {
namespace {

constexpr size_t kPage = 4096;

int64_t FaultsOfFilling(const AlignedBuffer& buffer) {
  const int64_t before = MinorFaultsOfThisThread();
  std::fill_n(buffer.data(), buffer.size(), uint8_t{0x5a});
  return MinorFaultsOfThisThread() - before;
}

TEST(AlignedBuffer, IsPageAlignedAndRoundedUp) {
  const absl::StatusOr<AlignedBuffer> buffer = AlignedBuffer::Create({.bytes = kPage + 1});
  ASSERT_TRUE(buffer.ok()) << buffer.status();
  EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer->data()) % kPage, 0);
  EXPECT_EQ(buffer->size(), kPage + 1);
  EXPECT_GE(buffer->mapped_bytes(), 2 * kPage);
  EXPECT_EQ(buffer->span().size(), kPage + 1);
}

TEST(AlignedBuffer, FaultsWhenFreshAndNotWhenKeptOrPopulated) {
  const absl::StatusOr<AlignedBuffer> fresh = AlignedBuffer::Create({.bytes = 64 * kPage});
  ASSERT_TRUE(fresh.ok());
  const int64_t fresh_faults = FaultsOfFilling(*fresh);
  EXPECT_GT(fresh_faults, 0);
  EXPECT_EQ(FaultsOfFilling(*fresh), 0);
  const absl::StatusOr<AlignedBuffer> populated =
      AlignedBuffer::Create({.bytes = 64 * kPage, .populate = true});
  ASSERT_TRUE(populated.ok());
  // Under a sanitizer its shadow of the new memory faults, an eighth of it.
  EXPECT_LT(FaultsOfFilling(*populated), (fresh_faults + 1) / 2);
}

TEST(AlignedBuffer, RefusesNothingAndTooMuch) {
  EXPECT_EQ(AlignedBuffer::Create({.bytes = 0}).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(AlignedBuffer::Create({.bytes = SIZE_MAX}).status().code(),
            absl::StatusCode::kInvalidArgument);
  const absl::Status no_memory = AlignedBuffer::Create({.bytes = size_t{1} << 60}).status();
  EXPECT_EQ(no_memory.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(no_memory.message(), "mmap(1152921504606846976 bytes): Cannot allocate memory");
}

TEST(AlignedBuffer, MovesItsMemory) {
  absl::StatusOr<AlignedBuffer> first = AlignedBuffer::Create({.bytes = kPage});
  absl::StatusOr<AlignedBuffer> second = AlignedBuffer::Create({.bytes = 2 * kPage});
  ASSERT_TRUE(first.ok() && second.ok());
  uint8_t* const data = second->data();
  *first = *std::move(second);
  EXPECT_EQ(first->data(), data);
  EXPECT_EQ(first->size(), 2 * kPage);
  first->data()[2 * kPage - 1] = 1;  // still mapped
}

}  // namespace
}  // namespace rdmalab
