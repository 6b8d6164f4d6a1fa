#include "engine/base/hex.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace rdmalab {
namespace {

TEST(Hex, RoundTripsEveryByte) {
  std::vector<uint8_t> bytes(256);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i);
  const std::string text = ToHex(bytes);
  EXPECT_EQ(text.substr(0, 6), "000102");
  const absl::StatusOr<std::vector<uint8_t>> back = FromHex(text);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(*back, bytes);
}

TEST(Hex, AcceptsUpperCase) {
  const absl::StatusOr<std::vector<uint8_t>> bytes = FromHex("DEADbeef");
  ASSERT_TRUE(bytes.ok());
  EXPECT_THAT(*bytes, testing::ElementsAre(0xde, 0xad, 0xbe, 0xef));
}

TEST(Hex, RefusesOddLengthAndForeignCharacters) {
  EXPECT_EQ(FromHex("abc").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(FromHex("0g").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(FromHex(" 0").status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace rdmalab
