#include "engine/ucx/worker.h"

#include <poll.h>

#include <atomic>
#include <string>
#include <thread>

#include "engine/ucx/active_message.h"
#include "engine/ucx/context.h"
#include "engine/ucx/endpoint.h"
#include "gtest/gtest.h"

namespace rdmalab::ucx {
namespace {

constexpr int kLimitMs = 20000;

absl::StatusOr<Context> TcpContext(bool wakeup) {
  return Context::Create({.wakeup = wakeup, .overrides = {{"TLS", "tcp"}}});
}

TEST(WorkerTest, HasAnAddressAndTakesHeaders) {
  const auto context = TcpContext(/*wakeup=*/false);
  ASSERT_TRUE(context.ok()) << context.status();
  const auto worker = Worker::Create(*context, {});
  ASSERT_TRUE(worker.ok()) << worker.status();
  const auto address = worker->Address();
  ASSERT_TRUE(address.ok()) << address.status();
  EXPECT_GT(address->size(), 9u);
  EXPECT_GE(worker->max_am_header(), 1024u);
}

TEST(WorkerTest, AnEventDescriptorNeedsAContextThatWakesUp) {
  const auto context = TcpContext(/*wakeup=*/false);
  ASSERT_TRUE(context.ok()) << context.status();
  const auto worker = Worker::Create(*context, {});
  ASSERT_TRUE(worker.ok()) << worker.status();
  EXPECT_FALSE(worker->EventFd().ok());
}

// How a progress thread parks: progress until there is nothing, arm, sleep in poll.
TEST(WorkerTest, AParkedWorkerIsWokenByAMessageAndByASignal) {
  const auto context = TcpContext(/*wakeup=*/true);
  ASSERT_TRUE(context.ok()) << context.status();
  const auto receiver = Worker::Create(*context, {.threads = Threads::kMulti});
  ASSERT_TRUE(receiver.ok()) << receiver.status();
  const auto sender = Worker::Create(*context, {});
  ASSERT_TRUE(sender.ok()) << sender.status();
  struct Counter {
    std::atomic<int> arrivals = 0;
    Kept OnArrival(const Arrival&) {
      ++arrivals;
      return Kept::kNo;
    }
  } counter;
  ASSERT_TRUE(SetHandler<&Counter::OnArrival>(*receiver, 1, &counter).ok());
  auto endpoint =
      Endpoint::Create(*sender, *receiver->Address(), {.error_handling = ErrorHandling::kPeer});
  ASSERT_TRUE(endpoint.ok()) << endpoint.status();
  const absl::StatusOr<int> fd = receiver->EventFd();
  ASSERT_TRUE(fd.ok()) << fd.status();
  const auto park = [&] {
    absl::StatusOr<bool> armed = false;
    while (armed.ok() && !*armed) {
      while (receiver->Progress() != 0) {
      }
      armed = receiver->Arm();
    }
    ASSERT_TRUE(armed.ok()) << armed.status();
    pollfd event = {.fd = *fd, .events = POLLIN, .revents = 0};
    ASSERT_EQ(poll(&event, 1, kLimitMs), 1);
  };

  std::thread sending([&] {
    Patience patience(Deadline::After(Clock::MonotonicRaw(), absl::Milliseconds(kLimitMs)));
    Request sent = SendActiveMessage(endpoint->peer(), {.id = 1, .header = "x"});
    EXPECT_TRUE(endpoint->Finish(sent, patience).ok());
    while (counter.arrivals == 0 && patience.Spin()) sender->Progress();  // the wire-up goes on
  });
  while (counter.arrivals == 0 && !HasFatalFailure()) {
    park();
    receiver->Progress();
  }
  sending.join();
  EXPECT_EQ(counter.arrivals, 1);

  std::thread signalling([&] { EXPECT_TRUE(receiver->Signal().ok()); });
  park();
  signalling.join();
}

}  // namespace
}  // namespace rdmalab::ucx
