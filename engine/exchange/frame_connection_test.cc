#include "engine/exchange/frame_connection.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/base/clock.h"
#include "gtest/gtest.h"

namespace rdmalab {
namespace {

Deadline Soon() { return Deadline::After(Clock::MonotonicRaw(), absl::Seconds(10)); }

struct Ends {
  FrameConnection near;
  FileDescriptor far;  // raw, so that a test can send what no engine sends
};

Ends Connected() {
  std::array<int, 2> sockets{};
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets.data()), 0);
  auto near = FrameConnection::Create(FileDescriptor(sockets[0]), "owner");
  EXPECT_TRUE(near.ok()) << near.status();
  return {*std::move(near), FileDescriptor(sockets[1])};
}

std::vector<uint8_t> Counting(size_t bytes) {
  std::vector<uint8_t> data(bytes);
  std::iota(data.begin(), data.end(), uint8_t{0});
  return data;
}

std::vector<uint8_t> Frame(uint16_t type, const std::vector<uint8_t>& payload) {
  const auto bytes = static_cast<uint32_t>(payload.size());
  std::vector<uint8_t> frame = {uint8_t(bytes),
                                uint8_t(bytes >> 8),
                                uint8_t(bytes >> 16),
                                uint8_t(bytes >> 24),
                                uint8_t(type),
                                uint8_t(type >> 8),
                                0,
                                0};
  frame.insert(frame.end(), payload.begin(), payload.end());
  return frame;
}

void Write(const FileDescriptor& to, const std::vector<uint8_t>& bytes) {
  ASSERT_EQ(write(to.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
}

TEST(FrameConnection, AMessageSentByteForByteArrivesWhole) {
  Ends ends = Connected();
  for (const uint8_t byte : Frame(77, Counting(5))) {
    auto early = ends.near.PollMessage();
    ASSERT_TRUE(early.ok()) << early.status();
    EXPECT_FALSE(early->has_value());
    Write(ends.far, {byte});
  }
  auto message = ends.near.PollMessage();
  ASSERT_TRUE(message.ok() && message->has_value()) << message.status();
  EXPECT_EQ((*message)->type, 77);
  EXPECT_EQ(std::vector<uint8_t>((*message)->payload.begin(), (*message)->payload.end()),
            Counting(5));
}

TEST(FrameConnection, SeveralFramesInOneSegmentAreReadOneByOne) {
  Ends ends = Connected();
  std::vector<uint8_t> bytes = Frame(20, {});
  for (const auto& more : {Frame(21, Counting(3)), Frame(22, {})}) {
    bytes.insert(bytes.end(), more.begin(), more.end());
  }
  Write(ends.far, bytes);
  for (const int type : {20, 21, 22}) {
    auto message = ends.near.PollMessage();
    ASSERT_TRUE(message.ok() && message->has_value()) << message.status();
    EXPECT_EQ((*message)->type, type);
  }
}

TEST(FrameConnection, ALargePayloadGoesStraightIntoItsParts) {
  Ends ends = Connected();
  auto far = FrameConnection::Create(std::move(ends.far), "consumer");
  ASSERT_TRUE(far.ok());
  const std::vector<uint8_t> head = Counting(48);
  const std::vector<uint8_t> body = Counting(3 << 20);
  std::thread sender([&] { EXPECT_TRUE(far->Send(30, head, body, Soon()).ok()); });
  ends.near.ExpectBulk(true);
  std::vector<uint8_t> got_head(head.size());
  std::vector<uint8_t> got_body(body.size());
  const Deadline deadline = Soon();
  const auto finish = [&](auto poll) {
    while (!deadline.Expired()) {
      absl::StatusOr<bool> done = poll();
      ASSERT_TRUE(done.ok()) << done.status();
      if (*done) return;
    }
    FAIL() << "nothing came";
  };
  finish([&] { return ends.near.PollHeader(); });
  EXPECT_EQ(ends.near.header().bytes, head.size() + body.size());
  finish([&] { return ends.near.PollPayload(absl::MakeSpan(got_head)); });
  finish([&] { return ends.near.PollPayload(absl::MakeSpan(got_body)); });
  sender.join();
  EXPECT_EQ(got_head, head);
  EXPECT_EQ(got_body, body);
  EXPECT_EQ(ends.near.remaining(), 0u);
}

TEST(FrameConnection, AFrameShorterThanWhatItShouldHoldIsRefused) {
  Ends ends = Connected();
  Write(ends.far, Frame(30, Counting(10)));
  ASSERT_TRUE(*ends.near.PollHeader());
  std::array<uint8_t, 11> part{};
  EXPECT_EQ(ends.near.PollPayload(absl::MakeSpan(part)).status().code(),
            absl::StatusCode::kDataLoss);
}

TEST(FrameConnection, TheRestOfAFrameCanBeSkipped) {
  Ends ends = Connected();
  std::vector<uint8_t> bytes = Frame(30, Counting(1000));
  const std::vector<uint8_t> next = Frame(31, {});
  bytes.insert(bytes.end(), next.begin(), next.end());
  Write(ends.far, {bytes.begin(), bytes.begin() + 500});
  ASSERT_TRUE(*ends.near.PollHeader());
  std::array<uint8_t, 48> part{};
  ASSERT_TRUE(*ends.near.PollPayload(absl::MakeSpan(part)));
  EXPECT_FALSE(*ends.near.PollSkip());
  Write(ends.far, {bytes.begin() + 500, bytes.end()});
  EXPECT_TRUE(*ends.near.PollSkip());
  ASSERT_TRUE(*ends.near.PollHeader());
  EXPECT_EQ(ends.near.header().type, 31);
}

TEST(FrameConnection, WhatIsNoFrameIsRefused) {
  Ends ends = Connected();
  const std::string http = "GET / HTTP/1.1\r\n\r\n";
  Write(ends.far, {http.begin(), http.end()});
  EXPECT_EQ(ends.near.PollMessage().status().code(), absl::StatusCode::kDataLoss);
}

TEST(FrameConnection, AnAnnouncedLengthBeyondAMessageIsRefused) {
  Ends ends = Connected();
  Write(ends.far, {0xff, 0xff, 0xff, 0xff, 20, 0, 0, 0});
  EXPECT_EQ(ends.near.PollMessage().status().code(), absl::StatusCode::kDataLoss);
}

TEST(FrameConnection, AClosedPeerIsUnavailableForEveryCall) {
  Ends ends = Connected();
  EXPECT_TRUE(ends.near.LookAlive().ok());
  ends.far.Close();
  EXPECT_TRUE(absl::IsUnavailable(ends.near.LookAlive()));
  EXPECT_TRUE(absl::IsUnavailable(ends.near.PollMessage().status()));
  EXPECT_TRUE(absl::IsUnavailable(ends.near.Send(20, {}, Counting(10), Soon())));
}

TEST(FrameConnection, APeerThatGivesUpIsSeenWithoutReading) {
  Ends ends = Connected();
  Write(ends.far, Frame(30, Counting(3)));
  EXPECT_TRUE(ends.near.LookAlive().ok()) << "an ordinary frame is waiting";
  ASSERT_TRUE(ends.near.PollMessage()->has_value());
  Write(ends.far, Frame(kFrameRefused, Counting(3)));
  EXPECT_TRUE(absl::IsUnavailable(ends.near.LookAlive()));
  auto message = ends.near.PollMessage();
  ASSERT_TRUE(message.ok() && message->has_value());
  EXPECT_EQ((*message)->type, kFrameRefused);
}

TEST(FrameConnection, AnUnreadFrameDoesNotHideThatThePeerIsGone) {
  Ends ends = Connected();
  Write(ends.far, Frame(30, Counting(3)));
  ends.far.Close();
  EXPECT_TRUE(absl::IsUnavailable(ends.near.LookAlive()));
  EXPECT_TRUE(ends.near.PollMessage()->has_value()) << "it can still be read";
}

TEST(FrameConnection, APeerThatTakesNothingEndsTheSendAtItsDeadline) {
  Ends ends = Connected();
  const Deadline deadline = Deadline::After(Clock::MonotonicRaw(), absl::Milliseconds(20));
  EXPECT_TRUE(absl::IsDeadlineExceeded(ends.near.Send(20, {}, Counting(64 << 20), deadline)));
  EXPECT_TRUE(ends.near.sending());
  EXPECT_EQ(ends.near.Send(21, {}, {}, Soon()).code(), absl::StatusCode::kFailedPrecondition)
      << "it would be read as the rest of the frame that was cut short";
}

TEST(FrameConnection, AFrameIsNotSentInTheMiddleOfAnother) {
  Ends ends = Connected();
  const std::vector<uint8_t> large = Counting(4 << 20);
  const std::vector<uint8_t> sent = Frame(20, large);
  std::vector<uint8_t> received;
  const auto receive = [&] {
    std::array<uint8_t, 65536> part{};
    const ssize_t got = recv(ends.far.get(), part.data(), part.size(), MSG_DONTWAIT);
    if (got > 0) received.insert(received.end(), part.begin(), part.begin() + got);
  };
  int refused = 0;
  const absl::Status status = ends.near.Send(20, {}, large, [&] {
    refused += ends.near.Send(21, {}, {}, Soon()).ok() ? 0 : 1;
    receive();
    return absl::OkStatus();
  });
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_GT(refused, 0);
  EXPECT_FALSE(ends.near.sending());
  const Deadline deadline = Soon();
  while (received.size() < sent.size() && !deadline.Expired()) receive();
  EXPECT_TRUE(received == sent);
  EXPECT_TRUE(ends.near.Send(21, {}, {}, Soon()).ok());
}

}  // namespace
}  // namespace rdmalab
