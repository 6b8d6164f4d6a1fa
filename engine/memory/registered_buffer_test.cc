#include "engine/memory/registered_buffer.h"

#include <vector>

#include "engine/memory/fake_registrar.h"
#include "gtest/gtest.h"

namespace rdmalab {
namespace {

TEST(RegisteredBufferTest, RegistersTheCallersRangeAsLongAsItLives) {
  FakeRegistrar registrar;
  std::vector<uint8_t> mine(12345);
  {
    auto buffer = RegisteredBuffer::Create(registrar, absl::MakeSpan(mine));
    ASSERT_TRUE(buffer.ok()) << buffer.status();
    EXPECT_EQ(buffer->data(), mine.data());
    EXPECT_EQ(buffer->bytes(), mine.size());
    ASSERT_EQ(registrar.ranges.size(), 1u);
    EXPECT_EQ(registrar.ranges[mine.data()], mine.size());
  }
  EXPECT_TRUE(registrar.ranges.empty());
}

TEST(RegisteredBufferTest, RefusesAnEmptyBuffer) {
  FakeRegistrar registrar;
  EXPECT_EQ(RegisteredBuffer::Create(registrar, {}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(RegisteredBufferTest, PassesOnWhyTheRegistrarRefused) {
  FakeRegistrar registrar;
  registrar.refusal = absl::ResourceExhaustedError("memlock");
  std::vector<uint8_t> mine(4096);
  EXPECT_EQ(RegisteredBuffer::Create(registrar, absl::MakeSpan(mine)).status(), registrar.refusal);
}

}  // namespace
}  // namespace rdmalab
