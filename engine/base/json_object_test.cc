#include "engine/base/json_object.h"

#include <array>
#include <limits>

#include "engine/base/json_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace rdmalab {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

nlohmann::json Parsed(const std::string& text) { return *ParseJson(text); }

// The error of reading `text` as the object at "arms[2]" by `read`.
template <typename Read>
std::string ErrorOf(const std::string& text, Read read) {
  const nlohmann::json value = Parsed(text);
  JsonObject object(value, "arms[2]");
  read(object);
  return std::string(object.Finish().message());
}

TEST(JsonObject, ReadsEveryType) {
  const nlohmann::json value = Parsed(
      R"({"i": -3, "u": 18446744073709551615, "b": true, "s": "x", "l": ["p", "q"], "m": {"k": "v"}, "n": null})");
  JsonObject object(value, "");
  EXPECT_EQ(object.Integer("i", -3, 3), -3);
  EXPECT_EQ(object.Unsigned64("u"), std::numeric_limits<uint64_t>::max());
  EXPECT_TRUE(object.Bool("b"));
  EXPECT_EQ(object.String("s"), "x");
  EXPECT_THAT(object.Strings("l"), ElementsAre("p", "q"));
  EXPECT_EQ(object.StringMap("m").at("k"), "v");
  EXPECT_TRUE(object.IsNull("n"));
  EXPECT_TRUE(object.Finish().ok()) << object.Finish();
}

TEST(JsonObject, ErrorsShowPathValueAndWhatIsExpected) {
  EXPECT_EQ(ErrorOf(R"({"min_bytes": -1})", [](JsonObject& o) { o.Integer("min_bytes", 0, 9); }),
            "arms[2].min_bytes: -1: expected an integer of 0 to 9");
  EXPECT_EQ(ErrorOf(R"({})", [](JsonObject& o) { o.String("name"); }), "arms[2].name: missing");
  EXPECT_EQ(ErrorOf(R"({"x": 1})", [](JsonObject& o) { o.Bool("x"); }),
            "arms[2].x: 1: expected true or false");
  EXPECT_EQ(ErrorOf(R"({"x": "ful"})",
                    [](JsonObject& o) {
                      o.OneOf("x", std::array<const char*, 2>{"rdma", "chunked"});
                    }),
            "arms[2].x: \"ful\": expected one of rdma, chunked");
}

TEST(JsonObject, IntegersOutsideTheRangeOrOfAnotherTypeAreRefused) {
  for (const char* const bad : {"10", "-1", "1.0", "1e0", "\"1\"", "true", "null", "[1]",
                                "18446744073709551615", "1e400"}) {
    if (!ParseJson(bad).ok()) continue;  // 1e400 is no number at all
    EXPECT_THAT(
        ErrorOf(std::string(R"({"n": )") + bad + "}", [](JsonObject& o) { o.Integer("n", 0, 9); }),
        HasSubstr("expected an integer of 0 to 9"))
        << bad;
  }
}

TEST(JsonObject, UnknownFieldsAreRefused) {
  EXPECT_EQ(
      ErrorOf(R"({"chunk": 1, "chunks": 2})", [](JsonObject& o) { o.Integer("chunk", 0, 9); }),
      "arms[2].chunks: 2: unknown field; expected only chunk");
}

TEST(JsonObject, TheFirstErrorIsKept) {
  EXPECT_EQ(ErrorOf(R"({"a": 1, "b": 2})",
                    [](JsonObject& o) {
                      o.String("a");
                      o.String("b");
                      o.Take(absl::InvalidArgumentError("later"));
                    }),
            "arms[2].a: 1: expected a string");
}

TEST(JsonObject, AnythingButAnObjectIsRefused) {
  EXPECT_EQ(ErrorOf("[1,2]", [](JsonObject& o) { o.Integer("a", 0, 1); }),
            "arms[2]: [1,2]: expected an object");
}

TEST(JsonObject, LongValuesAreShownShortened) {
  const std::string error =
      ErrorOf(R"({"a": ")" + std::string(1000, 'x') + "\"}", [](JsonObject& o) { o.Bool("a"); });
  EXPECT_THAT(error, HasSubstr("..."));
  EXPECT_LT(error.size(), 150);
}

}  // namespace
}  // namespace rdmalab
