// ByteWriter and ByteReader together: what one writes the other reads, and nothing else.
#include "engine/base/byte_reader.h"
#include "engine/base/byte_writer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace rdmalab {
namespace {

TEST(ByteRecords, AreLittleEndian) {
  ByteWriter writer;
  writer.Append<uint16_t>(0x1234);
  writer.Append<uint32_t>(0xa1b2c3d4);
  writer.Append<uint8_t>(0xff);
  EXPECT_THAT(writer.bytes(), testing::ElementsAre(0x34, 0x12, 0xd4, 0xc3, 0xb2, 0xa1, 0xff));
}

TEST(ByteRecords, RoundTrip) {
  ByteWriter writer;
  writer.Append<uint64_t>(0xfedcba9876543210);
  writer.AppendBytes({1, 2, 3});
  ByteReader reader(writer.bytes());
  const absl::StatusOr<uint64_t> number = reader.Read<uint64_t>("number");
  ASSERT_TRUE(number.ok());
  EXPECT_EQ(*number, 0xfedcba9876543210);
  const auto bytes = reader.ReadBytes(3, "bytes");
  ASSERT_TRUE(bytes.ok());
  EXPECT_THAT(*bytes, testing::ElementsAre(1, 2, 3));
  EXPECT_TRUE(reader.ExpectEnd().ok());
}

TEST(ByteRecords, TruncationNamesFieldAndOffset) {
  const std::vector<uint8_t> bytes = {1, 2, 3};
  ByteReader reader(bytes);
  ASSERT_TRUE(reader.Read<uint16_t>("version").ok());
  const absl::Status status = reader.Read<uint64_t>("address").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "truncated: address at offset 2 needs 8 bytes, 1 are left");
}

TEST(ByteRecords, AHugeLengthDoesNotWrapAround) {
  const std::vector<uint8_t> bytes = {1, 2, 3};
  ByteReader reader(bytes);
  ASSERT_TRUE(reader.Read<uint8_t>("flags").ok());
  EXPECT_FALSE(reader.ReadBytes(SIZE_MAX, "key").ok());
  EXPECT_EQ(reader.remaining(), 2);
}

TEST(ByteRecords, TrailingBytesAreAnError) {
  const std::vector<uint8_t> bytes = {1, 2, 3};
  ByteReader reader(bytes);
  ASSERT_TRUE(reader.Read<uint8_t>("flags").ok());
  EXPECT_EQ(reader.ExpectEnd().message(), "2 bytes too many after offset 1");
}

}  // namespace
}  // namespace rdmalab
