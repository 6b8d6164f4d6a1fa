#include "engine/ucx/worker.h"

#include <string>
#include <thread>

#include "engine/ucx/active_message.h"
#include "engine/ucx/context.h"
#include "engine/ucx/endpoint.h"
#include "gtest/gtest.h"

namespace rdmalab::ucx {
namespace {

absl::StatusOr<Context> TcpContext() { return Context::Create({.overrides = {{"TLS", "tcp"}}}); }

TEST(WorkerTest, HasAnAddress) {
  const auto context = TcpContext();
  ASSERT_TRUE(context.ok()) << context.status();
  const auto worker = Worker::Create(*context, {});
  ASSERT_TRUE(worker.ok()) << worker.status();
  const auto address = worker->Address();
  ASSERT_TRUE(address.ok()) << address.status();
  EXPECT_GT(address->size(), 9u);
}

TEST(WorkerTest, ASerializedWorkerIsDrivenNowByOneThreadNowByAnother) {
  const auto context = TcpContext();
  ASSERT_TRUE(context.ok()) << context.status();
  const auto receiver = Worker::Create(*context, {.threads = Threads::kSerialized});
  ASSERT_TRUE(receiver.ok()) << receiver.status();
  const auto sender = Worker::Create(*context, {});
  ASSERT_TRUE(sender.ok()) << sender.status();
  struct Counter {
    int arrivals = 0;
    Kept OnArrival(const Arrival&) {
      ++arrivals;
      return Kept::kNo;
    }
  } counter;
  ASSERT_TRUE(SetHandler<&Counter::OnArrival>(*receiver, 1, &counter).ok());
  auto endpoint =
      Endpoint::Create(*sender, *receiver->Address(), {.error_handling = ErrorHandling::kPeer});
  ASSERT_TRUE(endpoint.ok()) << endpoint.status();
  Patience patience(Deadline::After(Clock::MonotonicRaw(), absl::Seconds(20)));
  const auto receive = [&](int arrivals) {
    Request sent = SendActiveMessage(endpoint->peer(), {.id = 1, .header = "x"});
    while ((!sent.Done() || counter.arrivals < arrivals) && patience.Spin()) {
      sender->Progress();
      receiver->Progress();
    }
  };
  receive(1);
  std::thread([&] { receive(2); }).join();
  receive(3);
  EXPECT_EQ(counter.arrivals, 3);
}

}  // namespace
}  // namespace rdmalab::ucx
