#include "engine/exchange/card_folder.h"

#include <filesystem>
#include <string>
#include <thread>

#include "engine/base/clock.h"
#include "engine/base/file.h"
#include "gtest/gtest.h"

namespace rdmalab {
namespace {

namespace fs = std::filesystem;

Card CardOf(const std::string& role, const std::string& token = "aa11") {
  return {.role = role,
          .token = token,
          .plan_sha256 = "p",
          .binary_sha256 = "b",
          .ucx_runtime = "1.22.0",
          .control = "127.0.0.1:1",
          .worker_address = "w"};
}

Deadline In(absl::Duration after) { return Deadline::After(Clock::MonotonicRaw(), after); }

class CardFolder : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "/cards_" +
              testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string folder_;
};

TEST_F(CardFolder, APublishedCardIsFound) {
  ASSERT_TRUE(PublishCard(folder_, CardOf("owner")).ok());
  auto card = AwaitCard(folder_, "owner", CardOf("consumer"), In(absl::Seconds(10)));
  ASSERT_TRUE(card.ok()) << card.status();
  EXPECT_EQ(card->control, "127.0.0.1:1");
}

TEST_F(CardFolder, NobodyPublishes) {
  auto card = AwaitCard(folder_, "owner", CardOf("consumer"), In(absl::Milliseconds(30)));
  EXPECT_TRUE(absl::IsDeadlineExceeded(card.status())) << card.status();
}

TEST_F(CardFolder, ACardOfAnotherRunIsNamed) {
  ASSERT_TRUE(PublishCard(folder_, CardOf("owner", "stale77")).ok());
  auto card = AwaitCard(folder_, "owner", CardOf("consumer"), In(absl::Milliseconds(30)));
  ASSERT_TRUE(absl::IsDeadlineExceeded(card.status())) << card.status();
  EXPECT_NE(std::string(card.status().message()).find("another run (token stale77"),
            std::string::npos)
      << card.status();
}

TEST_F(CardFolder, APeerThatDoesNotAgreeEndsTheWaitAtOnce) {
  Card owner = CardOf("owner");
  owner.ucx_runtime = "1.20.1";
  ASSERT_TRUE(PublishCard(folder_, owner).ok());
  const Deadline deadline = In(absl::Seconds(60));
  auto card = AwaitCard(folder_, "owner", CardOf("consumer"), deadline);
  EXPECT_TRUE(absl::IsUnimplemented(card.status())) << card.status();
  EXPECT_FALSE(deadline.Expired());
}

TEST_F(CardFolder, HalfACardIsNotTakenForOne) {
  fs::create_directories(folder_);
  ASSERT_TRUE(WriteFileAtomically(folder_ + "/owner.json", "{\"format\":").ok());
  auto card = AwaitCard(folder_, "owner", CardOf("consumer"), In(absl::Milliseconds(30)));
  EXPECT_TRUE(absl::IsDeadlineExceeded(card.status())) << card.status();
}

// What a shared folder of two nodes may show for a while, one after the other: no folder, a name
// that leads nowhere yet, an older run's content.
TEST_F(CardFolder, WhatASharedFolderShowsLateIsWaitedFor) {
  const auto await = [this](absl::Duration time) {
    return AwaitCard(folder_, "owner", CardOf("consumer"), In(time)).status();
  };
  constexpr absl::Duration kLook = absl::Milliseconds(30);
  EXPECT_TRUE(absl::IsDeadlineExceeded(await(kLook)));
  const std::string elsewhere = folder_ + "_elsewhere";
  fs::remove_all(elsewhere);
  fs::create_directories(elsewhere);
  fs::create_symlink("not_here_yet.json", elsewhere + "/owner.json");
  fs::rename(elsewhere, folder_);
  EXPECT_TRUE(absl::IsDeadlineExceeded(await(kLook))) << "listed, and absent when it is opened";
  const std::string old_card = CardToJson(CardOf("owner", "0123"));
  ASSERT_TRUE(WriteFileAtomically(folder_ + "/not_here_yet.json", old_card).ok());
  EXPECT_TRUE(absl::IsDeadlineExceeded(await(kLook)));
  std::jthread owner([this] { EXPECT_TRUE(PublishCard(folder_, CardOf("owner")).ok()); });
  EXPECT_TRUE(await(absl::Seconds(20)).ok());
}

TEST_F(CardFolder, OnlyTheOwnCardIsWithdrawn) {
  ASSERT_TRUE(PublishCard(folder_, CardOf("owner", "other")).ok());
  WithdrawCard(folder_, CardOf("owner"));
  EXPECT_TRUE(fs::exists(folder_ + "/owner.json"));
  WithdrawCard(folder_, CardOf("owner", "other"));
  EXPECT_FALSE(fs::exists(folder_ + "/owner.json"));
}

}  // namespace
}  // namespace rdmalab
