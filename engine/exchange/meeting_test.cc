#include "engine/exchange/meeting.h"

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>

#include "engine/exchange/card_folder.h"
#include "engine/exchange/tcp_socket.h"
#include "gtest/gtest.h"

namespace rdmalab {
namespace {

Card CardOf(const std::string& role) {
  return {.role = role,
          .token = "aa11",
          .plan_sha256 = "p",
          .binary_sha256 = "b",
          .ucx_runtime = "1.22.0",
          .control = "",
          .worker_address = role + " worker"};
}

struct Both {
  absl::StatusOr<Meeting> owner = absl::UnknownError("not run");
  absl::StatusOr<Meeting> consumer = absl::UnknownError("not run");
};

Both Meet(const MeetingOptions& owner, const MeetingOptions& consumer, const Card& consumer_card) {
  Both both;
  const Clock clock = Clock::MonotonicRaw();
  std::thread thread([&] { both.owner = MeetAsOwner(owner, CardOf("owner"), clock); });
  both.consumer = MeetAsConsumer(consumer, consumer_card, clock);
  thread.join();
  return both;
}

std::string Folder() {
  const std::string folder = testing::TempDir() + "/meeting_" +
                             testing::UnitTest::GetInstance()->current_test_info()->name();
  std::filesystem::remove_all(folder);
  return folder;
}

HostPort FreePort() {
  auto listener = TcpListener::Create({.host = "127.0.0.1", .port = 0});
  return listener.ok() ? listener->address() : HostPort{};
}

TEST(Meeting, InAFolderBothLearnTheOthersWorker) {
  const MeetingOptions options{.exchange = DirExchange{Folder()}, .timeout = absl::Seconds(20)};
  const Both both = Meet(options, options, CardOf("consumer"));
  ASSERT_TRUE(both.owner.ok()) << both.owner.status();
  ASSERT_TRUE(both.consumer.ok()) << both.consumer.status();
  EXPECT_EQ(both.owner->peer.worker_address, "consumer worker");
  EXPECT_EQ(both.consumer->peer.worker_address, "owner worker");
}

TEST(Meeting, TheCardIsGoneAfterwards) {
  const std::string folder = Folder();
  const MeetingOptions options{.exchange = DirExchange{folder}, .timeout = absl::Seconds(20)};
  ASSERT_TRUE(Meet(options, options, CardOf("consumer")).owner.ok());
  EXPECT_FALSE(std::filesystem::exists(folder + "/owner.json"));
}

TEST(Meeting, OverTcpTheConsumerMayComeFirst) {
  const MeetingOptions options{.exchange = TcpExchange{FreePort()}, .timeout = absl::Seconds(20)};
  const Both both = Meet(options, options, CardOf("consumer"));
  ASSERT_TRUE(both.owner.ok()) << both.owner.status();
  ASSERT_TRUE(both.consumer.ok()) << both.consumer.status();
}

TEST(Meeting, AnotherPlanEndsBothSidesAndIsNamed) {
  const MeetingOptions options{.exchange = TcpExchange{FreePort()}, .timeout = absl::Seconds(20)};
  Card consumer = CardOf("consumer");
  consumer.plan_sha256 = "q";
  const Both both = Meet(options, options, consumer);
  EXPECT_TRUE(absl::IsInvalidArgument(both.owner.status())) << both.owner.status();
  ASSERT_TRUE(absl::IsInvalidArgument(both.consumer.status())) << both.consumer.status();
  EXPECT_NE(std::string(both.consumer.status().message()).find("plan digest"), std::string::npos)
      << both.consumer.status();
}

TEST(Meeting, AStrangerIsRefusedByNameAndTheOwnerWaitsOn) {
  const MeetingOptions options{.exchange = TcpExchange{FreePort()}, .timeout = absl::Seconds(20)};
  const Clock clock = Clock::MonotonicRaw();
  absl::StatusOr<Meeting> owner = absl::UnknownError("not run");
  std::thread thread([&] { owner = MeetAsOwner(options, CardOf("owner"), clock); });
  Card stranger = CardOf("consumer");
  stranger.token = "stale77";
  const absl::StatusOr<Meeting> refused = MeetAsConsumer(options, stranger, clock);
  const absl::StatusOr<Meeting> consumer = MeetAsConsumer(options, CardOf("consumer"), clock);
  thread.join();
  EXPECT_TRUE(absl::IsPermissionDenied(refused.status())) << refused.status();
  EXPECT_NE(std::string(refused.status().message()).find("another run (token stale77"),
            std::string::npos)
      << refused.status();
  EXPECT_TRUE(consumer.ok()) << consumer.status();
  EXPECT_TRUE(owner.ok()) << owner.status();
}

TEST(Refusal, ReadsBackItsCodeAndTextAndIsNeverOk) {
  const std::string text = std::string(1, char{5}) + "no such thing";
  const auto bytes =
      absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(text.data()), text.size());
  EXPECT_EQ(ReadRefusal(bytes), absl::NotFoundError("no such thing"));
  const std::array<uint8_t, 1> ok = {0};
  EXPECT_FALSE(ReadRefusal(ok).ok());
  EXPECT_FALSE(ReadRefusal({}).ok());
}

TEST(Meeting, AnOwnerAloneWaitsNoLongerThanItsTime) {
  const MeetingOptions options{.exchange = DirExchange{Folder()},
                               .timeout = absl::Milliseconds(50)};
  EXPECT_TRUE(absl::IsDeadlineExceeded(
      MeetAsOwner(options, CardOf("owner"), Clock::MonotonicRaw()).status()));
}

}  // namespace
}  // namespace rdmalab
