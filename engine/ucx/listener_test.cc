#include "engine/ucx/listener.h"

#include <optional>
#include <string>
#include <thread>

#include "engine/base/clock.h"
#include "engine/base/deadline.h"
#include "engine/ucx/context.h"
#include "engine/ucx/socket_address.h"
#include "gtest/gtest.h"

namespace rdmalab::ucx {
namespace {

constexpr EndpointOptions kOptions = {.error_handling = ErrorHandling::kPeer};

// TCP has a connection manager too, so that the way is tested on every machine.
class ListenerTest : public testing::Test {
 protected:
  void SetUp() override {
    auto context = Context::Create({.overrides = {{"TLS", "tcp"}}});
    ASSERT_TRUE(context.ok()) << context.status();
    context_.emplace(*std::move(context));
    for (std::optional<Worker>* worker : {&owner_, &consumer_}) {
      auto created = Worker::Create(*context_, {});
      ASSERT_TRUE(created.ok()) << created.status();
      worker->emplace(*std::move(created));
    }
  }

  std::optional<Context> context_;
  std::optional<Worker> owner_;
  std::optional<Worker> consumer_;
};

TEST_F(ListenerTest, AnEndpointConnectsToItsAddress) {
  auto listener = Listener::Create(*owner_, "127.0.0.1", kOptions);
  ASSERT_TRUE(listener.ok()) << listener.status();
  EXPECT_EQ(listener->accepted(), 0);
  auto endpoint = Endpoint::Create(*consumer_, listener->address(), kOptions);
  ASSERT_TRUE(endpoint.ok()) << endpoint.status();
  {
    const std::jthread progress([this](const std::stop_token& stop) {
      while (!stop.stop_requested()) owner_->Progress();
    });
    Patience patience(Deadline::After(Clock::MonotonicRaw(), absl::Seconds(20)));
    const absl::Status flushed = endpoint->Flush(patience);
    EXPECT_TRUE(flushed.ok()) << flushed;
    EXPECT_TRUE(endpoint->Close(patience).ok());
  }
  EXPECT_EQ(listener->accepted(), 1);
  EXPECT_TRUE(listener->last_refusal().ok());
}

TEST_F(ListenerTest, NobodyListeningIsALostPeer) {
  std::string address;
  {
    auto listener = Listener::Create(*owner_, "127.0.0.1", kOptions);
    ASSERT_TRUE(listener.ok()) << listener.status();
    address = listener->address();
  }
  auto endpoint = Endpoint::Create(*consumer_, address, kOptions);
  if (!endpoint.ok()) return;  // some versions refuse at once
  Patience patience(Deadline::After(Clock::MonotonicRaw(), absl::Seconds(20)));
  EXPECT_FALSE(endpoint->Flush(patience).ok());
}

TEST_F(ListenerTest, RefusesAnAddressThatIsNone) {
  for (const char* ip : {"", "localhost", "256.1.1.1", "10.0.0.1:5"}) {
    EXPECT_EQ(Listener::Create(*owner_, ip, kOptions).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
}

TEST(SocketAddressTest, SurvivesItsText) {
  for (const char* ip : {"10.77.0.1", "fe80::1"}) {
    const auto address = SocketAddress::Parse(ip, 4711);
    ASSERT_TRUE(address.ok());
    const auto again = SocketAddress::FromText(address->Text());
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(again->Text(), address->Text());
  }
}

TEST(SocketAddressTest, RefusesAnotherText) {
  for (const char* text : {"", "ucx-listener", "ucx-listener 10.0.0.1", "ucx-listener 10.0.0.1 0",
                           "ucx-listener 10.0.0.1 65536", "ucx-listener x 1", "10.0.0.1 1"}) {
    EXPECT_FALSE(SocketAddress::FromText(text).ok()) << text;
  }
}

}  // namespace
}  // namespace rdmalab::ucx
