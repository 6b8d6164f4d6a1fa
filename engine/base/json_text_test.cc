#include "engine/base/json_text.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace rdmalab {
namespace {

using testing::HasSubstr;

std::string ErrorOf(const std::string& text) {
  const absl::StatusOr<nlohmann::json> parsed = ParseJson(text);
  EXPECT_EQ(parsed.status().code(), absl::StatusCode::kInvalidArgument) << text;
  return std::string(parsed.status().message());
}

TEST(JsonText, ErrorsHaveTheOffset) {
  EXPECT_THAT(ErrorOf("{\"a\": }"), HasSubstr("at byte 7"));
  EXPECT_THAT(ErrorOf(""), HasSubstr("at byte 1"));
  EXPECT_THAT(ErrorOf("{} x"), HasSubstr("not JSON"));
  EXPECT_THAT(ErrorOf("\xff"), HasSubstr("not JSON"));
}

TEST(JsonText, AKeyTwiceIsAnErrorOnlyInOneObject) {
  EXPECT_EQ(ErrorOf(R"({"a": {"b": 1, "b": 2}})"), "the key \"b\" stands twice in one object");
  EXPECT_TRUE(ParseJson(R"([{"b": 1}, {"b": 2, "c": {"b": 3}}])").ok());
}

TEST(JsonText, DeepNestingIsAnError) {
  EXPECT_TRUE(ParseJson(std::string(32, '[') + std::string(32, ']')).ok());
  EXPECT_EQ(ErrorOf(std::string(1'000'000, '[')), "nested deeper than 32");
}

TEST(JsonText, LinesAreOneLineAndSurviveForeignBytes) {
  nlohmann::json value;
  value["text"] = "a\nb\xff";
  const std::string line = JsonLine(value);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_THAT(line, HasSubstr("a\\nb\xef\xbf\xbd"));
}

}  // namespace
}  // namespace rdmalab
