#include "engine/exchange/card.h"

#include <string>

#include "gtest/gtest.h"

namespace rdmalab {
namespace {

Card Owner() {
  return {.role = "owner",
          .token = "aa11",
          .plan_sha256 = "p1",
          .binary_sha256 = "b1",
          .ucx_runtime = "1.22.0",
          .control = "127.0.0.1:4711",
          .worker_address = std::string("\0\1\xff", 3)};
}

Card Consumer() {
  Card card = Owner();
  card.role = "consumer";
  card.control.clear();
  return card;
}

TEST(Card, ReadsBackWhatWasWritten) {
  auto card = CardFromJson(CardToJson(Owner()));
  ASSERT_TRUE(card.ok()) << card.status();
  EXPECT_EQ(card->role, "owner");
  EXPECT_EQ(card->token, "aa11");
  EXPECT_EQ(card->protocol, kProtocolVersion);
  EXPECT_EQ(card->control, "127.0.0.1:4711");
  EXPECT_EQ(card->worker_address, Owner().worker_address);
}

TEST(Card, WhatIsNoCardIsRefused) {
  std::string other_format = CardToJson(Owner());
  other_format.replace(other_format.find("rdmalab.card"), 12, "another.card");
  std::string cut = CardToJson(Owner());
  cut.resize(cut.size() / 2);
  for (const std::string& text :
       {std::string(), std::string("{}"), std::string("[1]"), cut, other_format}) {
    EXPECT_EQ(CardFromJson(text).status().code(), absl::StatusCode::kDataLoss) << text;
  }
}

TEST(Cards, ThatAgreeAreAccepted) { EXPECT_TRUE(CheckCards(Consumer(), Owner(), "here").ok()); }

TEST(Cards, EachDisagreementIsNamedWithBothValues) {
  struct Case {
    std::string Card::*field;
    absl::StatusCode code;
  };
  for (const Case& differ : {Case{&Card::token, absl::StatusCode::kPermissionDenied},
                             Case{&Card::binary_sha256, absl::StatusCode::kUnimplemented},
                             Case{&Card::ucx_runtime, absl::StatusCode::kUnimplemented},
                             Case{&Card::plan_sha256, absl::StatusCode::kInvalidArgument}}) {
    Card other = Owner();
    other.*differ.field = "zz99";
    const absl::Status status = CheckCards(Consumer(), other, "here");
    EXPECT_EQ(status.code(), differ.code) << status;
    EXPECT_NE(std::string(status.message()).find("zz99"), std::string::npos) << status;
    EXPECT_NE(std::string(status.message()).find(Consumer().*differ.field), std::string::npos)
        << status;
  }
}

TEST(Cards, TwoOfTheSameRoleAreRefused) { EXPECT_FALSE(CheckCards(Owner(), Owner(), "here").ok()); }

}  // namespace
}  // namespace rdmalab
