#include "engine/ucx/active_message.h"

#include <atomic>
#include <cstring>
#include <string>
#include <vector>

#include "engine/ucx/connected_workers.h"
#include "gtest/gtest.h"

namespace rdmalab::ucx {
namespace {

constexpr unsigned kAsk = 1;
constexpr unsigned kAnswer = 2;
constexpr unsigned kKeep = 3;

std::string Pattern(size_t bytes, int seed) {
  std::string text(bytes, '\0');
  for (size_t i = 0; i < bytes; ++i) {
    text[i] = static_cast<char>((i * 131 + static_cast<size_t>(seed)) >> 3);
  }
  return text;
}

// Answers each kAsk with its own header and the data that is staged.
struct Owner {
  std::string staged;
  std::atomic<int> sent = 0;
  std::atomic<bool> sent_ok = true;

  Kept OnAsk(const Arrival& arrival) {
    SendActiveMessageThen(
        arrival.reply_to,
        {.id = kAnswer, .header = arrival.header, .data = staged.data(), .bytes = staged.size()},
        {&Owner::OnSent, this});
    return Kept::kNo;
  }

  static void OnSent(void* self, const absl::Status& status) {
    Owner& owner = *static_cast<Owner*>(self);
    if (!status.ok()) owner.sent_ok = false;
    ++owner.sent;
  }
};

struct Consumer {
  explicit Consumer(const Worker& its_worker) : worker(its_worker) {}

  const Worker& worker;
  std::string header;
  std::string data;
  bool rndv = false;
  bool had_reply_handle = false;
  int arrivals = 0;
  Request receive;

  Kept OnAnswer(const Arrival& arrival) {
    header = std::string(arrival.header);
    rndv = arrival.rndv;
    had_reply_handle = static_cast<bool>(arrival.reply_to);
    data.assign(arrival.bytes, 'x');
    if (arrival.rndv) {
      receive = ReceiveActiveMessage(worker, arrival.data, data.data(), arrival.bytes);
    } else {
      memcpy(data.data(), arrival.data, arrival.bytes);
    }
    ++arrivals;
    return Kept::kNo;
  }
};

class ActiveMessageTest : public testing::TestWithParam<LaneUnderTest> {
 protected:
  void SetUp() override {
    auto workers = ConnectedWorkers::Create(GetParam());
    ASSERT_TRUE(workers.ok()) << workers.status();
    workers_ = *std::move(workers);
    workers_->StopOwner();
    consumer_.emplace(workers_->consumer());
    ASSERT_TRUE(SetHandler<&Owner::OnAsk>(workers_->owner(), kAsk, &owner_).ok());
    ASSERT_TRUE(SetHandler<&Consumer::OnAnswer>(workers_->consumer(), kAnswer, &*consumer_).ok());
    workers_->StartOwner();
  }

  // Progresses the consumer until `done` or 20 s are over.
  template <typename Predicate>
  bool ProgressUntil(Predicate done) {
    Patience patience = ConnectedWorkers::Seconds(20);
    while (!done()) {
      workers_->consumer().Progress();
      if (!patience.Spin()) return false;
    }
    return true;
  }

  void Ask(const std::string& header) {
    Request ask = SendActiveMessage(workers_->endpoint().peer(),
                                    {.id = kAsk, .header = header, .want_reply = true});
    Patience patience = ConnectedWorkers::Seconds(20);
    const absl::Status sent = workers_->endpoint().Finish(ask, patience);
    ASSERT_TRUE(sent.ok()) << sent;
  }

  Owner owner_;
  std::unique_ptr<ConnectedWorkers> workers_;
  std::optional<Consumer> consumer_;
};

TEST_P(ActiveMessageTest, AnAnswerCarriesHeaderAndData) {
  for (const size_t bytes : {size_t{0}, size_t{8}, size_t{8192}, size_t{1} << 20}) {
    owner_.staged = Pattern(bytes, 7);
    const int before = consumer_->arrivals;
    ASSERT_NO_FATAL_FAILURE(Ask("header of " + std::to_string(bytes)));
    ASSERT_TRUE(ProgressUntil([&] { return consumer_->arrivals > before; }));
    Patience patience = ConnectedWorkers::Seconds(20);
    ASSERT_TRUE(consumer_->receive.Wait(workers_->consumer(), patience));
    EXPECT_EQ(consumer_->header, "header of " + std::to_string(bytes));
    EXPECT_EQ(consumer_->data, owner_.staged) << bytes;
    EXPECT_FALSE(consumer_->had_reply_handle);
  }
  ASSERT_TRUE(ProgressUntil([&] { return owner_.sent == 4; }));
  EXPECT_TRUE(owner_.sent_ok);
}

TEST_P(ActiveMessageTest, RendezvousDataIsTakenIntoTheGivenBuffer) {
  const std::string data = Pattern(300000, 3);
  struct Taker {
    const Worker& worker;
    std::string taken = {};
    Request receive = {};
    bool rndv = false;
    Kept OnOffer(const Arrival& arrival) {
      rndv = arrival.rndv;
      taken.assign(arrival.bytes, 'x');
      receive = ReceiveActiveMessage(worker, arrival.data, taken.data(), arrival.bytes);
      return Kept::kNo;
    }
  };
  workers_->StopOwner();
  Taker taker{.worker = workers_->owner()};
  ASSERT_TRUE(SetHandler<&Taker::OnOffer>(workers_->owner(), kKeep, &taker).ok());
  workers_->StartOwner();
  Request send = SendActiveMessage(
      workers_->endpoint().peer(),
      {.id = kKeep, .data = data.data(), .bytes = data.size(), .transfer = Transfer::kRendezvous});
  Patience patience = ConnectedWorkers::Seconds(20);
  ASSERT_TRUE(workers_->endpoint().Finish(send, patience).ok());
  workers_->StopOwner();
  ASSERT_TRUE(taker.receive.Wait(workers_->owner(), patience));
  EXPECT_TRUE(taker.rndv);
  EXPECT_EQ(taker.taken, data);
}

// Before its memory may be freed: a peer that is stopped would otherwise write to it once it goes
// on.
TEST_P(ActiveMessageTest, AForcedCloseEndsAReceiveThatIsStillComing) {
  if (GetParam().error_handling != ErrorHandling::kPeer) return;
  owner_.staged = Pattern(size_t{64} << 20, 9);
  ASSERT_NO_FATAL_FAILURE(Ask("much"));
  ASSERT_TRUE(ProgressUntil([&] { return consumer_->arrivals == 1; }));
  workers_->StopOwner();
  ASSERT_TRUE(consumer_->rndv);
  ASSERT_FALSE(consumer_->receive.Done());
  ASSERT_TRUE(workers_->endpoint().ForceClose().ok());
  Patience patience = ConnectedWorkers::Seconds(5);
  ASSERT_TRUE(consumer_->receive.Wait(workers_->consumer(), patience));
  EXPECT_FALSE(consumer_->receive.status().ok());
}

TEST_P(ActiveMessageTest, AKeptArrivalIsReadLaterAndGivenBack) {
  struct Keeper {
    void* data = nullptr;
    size_t bytes = 0;
    bool keepable = false;
    Kept OnArrival(const Arrival& arrival) {
      keepable = arrival.keepable;
      data = arrival.data;
      bytes = arrival.bytes;
      return Kept::kYes;
    }
  } keeper;
  ASSERT_TRUE(
      SetHandler<&Keeper::OnArrival>(workers_->consumer(), kAnswer, &keeper, {.persistent = true})
          .ok());
  owner_.staged = Pattern(2000, 5);
  ASSERT_NO_FATAL_FAILURE(Ask("x"));
  ASSERT_TRUE(ProgressUntil([&] { return keeper.data != nullptr; }));
  EXPECT_TRUE(keeper.keepable);
  for (int i = 0; i < 1000; ++i) workers_->consumer().Progress();
  ASSERT_EQ(keeper.bytes, owner_.staged.size());
  EXPECT_EQ(memcmp(keeper.data, owner_.staged.data(), keeper.bytes), 0);
  ReleaseArrival(workers_->consumer(), keeper.data);
}

TEST_P(ActiveMessageTest, OwnedDataOutlivesTheSend) {
  struct Counter {
    std::atomic<size_t> bytes = 0;
    std::atomic<bool> intact = true;
    Kept OnArrival(const Arrival& arrival) {
      const std::string expected = Pattern(arrival.bytes, 9);
      if (memcmp(arrival.data, expected.data(), arrival.bytes) != 0) intact = false;
      bytes += arrival.bytes;
      return Kept::kNo;
    }
  } counter;
  workers_->StopOwner();
  ASSERT_TRUE(SetHandler<&Counter::OnArrival>(workers_->owner(), kKeep, &counter).ok());
  workers_->StartOwner();
  constexpr size_t kEach = 3000;
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(SendActiveMessageOwned(workers_->endpoint().peer(),
                                       {.id = kKeep, .transfer = Transfer::kEager},
                                       Pattern(kEach, 9))
                    .ok());
  }
  ASSERT_TRUE(ProgressUntil([&] { return counter.bytes == 100 * kEach; }));
  EXPECT_TRUE(counter.intact);
}

TEST_P(ActiveMessageTest, AClearedHandlerGetsNothingMore) {
  ASSERT_TRUE(ClearHandler(workers_->consumer(), kAnswer).ok());
  owner_.staged = "unheard";
  ASSERT_NO_FATAL_FAILURE(Ask("x"));
  ASSERT_TRUE(ProgressUntil([&] { return owner_.sent == 1; }));
  for (int i = 0; i < 1000; ++i) workers_->consumer().Progress();
  EXPECT_EQ(consumer_->arrivals, 0);
}

INSTANTIATE_TEST_SUITE_P(Lanes, ActiveMessageTest, testing::Values(kTcp, kShm),
                         [](const auto& lane) { return lane.param.name; });

}  // namespace
}  // namespace rdmalab::ucx
