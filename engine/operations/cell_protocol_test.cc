#include "engine/operations/cell_protocol.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace rdmalab {
namespace {

absl::Span<const uint8_t> Frame(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

TEST(CellProtocol, WhatIsSaidIsUnderstood) {
  const auto open = OpenRequestFrom(Frame(ToText(OpenRequest{7, 3, "{\"a\":1}"})));
  ASSERT_TRUE(open.ok()) << open.status();
  EXPECT_EQ(open->cell, 7);
  EXPECT_EQ(open->rep, 3);
  EXPECT_EQ(open->offer, "{\"a\":1}");

  CloseAnswer answer;
  answer.received = uint64_t{1} << 60;
  answer.verified = true;
  answer.error = absl::DataLossError("slot 4");
  answer.facts.counters["rnr"] = -1;
  answer.facts.facts["registered"] = "host";
  const auto closed = CloseAnswerFrom(Frame(ToText(answer)));
  ASSERT_TRUE(closed.ok()) << closed.status();
  EXPECT_EQ(closed->received, answer.received);
  EXPECT_TRUE(closed->verified);
  EXPECT_EQ(closed->error, answer.error);
  EXPECT_EQ(closed->facts.counters, answer.facts.counters);
  EXPECT_EQ(closed->facts.facts, answer.facts.facts);
}

TEST(CellProtocol, ACellThatFailedIsClosedWithoutMessages) {
  const auto failed = CloseRequestFrom(Frame(ToText(CloseRequest{})));
  ASSERT_TRUE(failed.ok());
  EXPECT_FALSE(failed->messages.has_value());
  const auto done = CloseRequestFrom(Frame(ToText(CloseRequest{.messages = 12})));
  ASSERT_TRUE(done.ok());
  EXPECT_EQ(*done->messages, 12);
}

TEST(CellProtocol, ARefusalKeepsItsCode) {
  const OpenAnswer answer = {.offer = "", .error = absl::ResourceExhaustedError("no huge pages")};
  const auto read = OpenAnswerFrom(Frame(ToText(answer)));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->error, answer.error);
}

TEST(CellProtocol, WhatIsNoneOfThemIsDataLoss) {
  for (const std::string text : {"", "{", "[]", "{}", "{\"cell\":-1,\"rep\":0,\"offer\":\"\"}",
                                 "{\"cell\":1,\"rep\":0,\"offer\":\"\",\"more\":1}"}) {
    EXPECT_TRUE(absl::IsDataLoss(OpenRequestFrom(Frame(text)).status())) << text;
    EXPECT_TRUE(absl::IsDataLoss(OpenAnswerFrom(Frame(text)).status())) << text;
    EXPECT_TRUE(absl::IsDataLoss(CloseRequestFrom(Frame(text)).status())) << text;
    EXPECT_TRUE(absl::IsDataLoss(CloseAnswerFrom(Frame(text)).status())) << text;
  }
}

}  // namespace
}  // namespace rdmalab
