#include "engine/exchange/tcp_socket.h"

#include <string>
#include <utility>

#include "engine/base/clock.h"
#include "gtest/gtest.h"

namespace rdmalab {
namespace {

Deadline In(absl::Duration after) { return Deadline::After(Clock::MonotonicRaw(), after); }

TEST(TcpListener, TellsThePortThatTheKernelChose) {
  auto listener = TcpListener::Create({.host = "127.0.0.1", .port = 0});
  ASSERT_TRUE(listener.ok()) << listener.status();
  EXPECT_NE(listener->address().port, 0);
  auto client = TcpConnect(listener->address(), WhenRefused::kGiveUp, In(absl::Seconds(10)));
  ASSERT_TRUE(client.ok()) << client.status();
  EXPECT_TRUE(listener->Accept(In(absl::Seconds(10))).ok());
}

TEST(TcpListener, ATakenPortIsNamed) {
  auto first = TcpListener::Create({.host = "127.0.0.1", .port = 0});
  ASSERT_TRUE(first.ok());
  auto second = TcpListener::Create(first->address());
  ASSERT_EQ(second.status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_NE(
      std::string(second.status().message()).find("port " + std::to_string(first->address().port)),
      std::string::npos)
      << second.status();
}

TEST(TcpListener, AnAddressOfAnotherHostIsRefused) {
  EXPECT_EQ(TcpListener::Create({.host = "192.0.2.1", .port = 0}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(TcpListener, NobodyComes) {
  auto listener = TcpListener::Create({.host = "127.0.0.1", .port = 0});
  ASSERT_TRUE(listener.ok());
  EXPECT_TRUE(absl::IsDeadlineExceeded(listener->Accept(In(absl::Milliseconds(30))).status()));
}

TEST(TcpConnect, ARefusalIsFinalOrTriedAgainAsAsked) {
  auto listener = TcpListener::Create({.host = "127.0.0.1", .port = 0});
  ASSERT_TRUE(listener.ok());
  const HostPort address = listener->address();
  { const TcpListener closed = *std::move(listener); }
  EXPECT_TRUE(absl::IsUnavailable(
      TcpConnect(address, WhenRefused::kGiveUp, In(absl::Seconds(10))).status()));
  const Deadline soon = In(absl::Milliseconds(60));
  EXPECT_TRUE(absl::IsUnavailable(TcpConnect(address, WhenRefused::kTryAgain, soon).status()));
  EXPECT_TRUE(soon.Expired());
}

}  // namespace
}  // namespace rdmalab
