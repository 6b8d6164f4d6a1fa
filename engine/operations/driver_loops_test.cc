// The loops over a queue pair whose work completes at once, and over a driver that misbehaves.
#include "engine/operations/driver_loops.h"

#include <atomic>

#include "engine/operations/verbs_drivers.h"
#include "engine/verbs/stand_in_provider.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace rdmalab {
namespace {

using testing::HasSubstr;

// Counts what the loops ask of it; completes in steps of `step`, and moves a simulated clock by
// `ns_per_turn` with each turn.
struct CountingDriver {
  uint64_t Room(uint64_t asked) {
    posted_when_asked = asked;
    return room;
  }
  void Post(uint64_t first, uint64_t count, bool last) {
    EXPECT_EQ(first, posted) << "messages are posted once, in order";
    posted += count;
    most_in_flight = std::max(most_in_flight, posted - completed);
    longest_list = std::max(longest_list, count);
    last_was_signalled = last;
    signalled = last ? posted : posted / signal_every * signal_every;
  }
  uint64_t Poll() {
    now_ns += ns_per_turn;
    if (completes) completed = std::min(signalled, completed + step);
    return completed;
  }
  const absl::Status& failure() { return status; }

  uint64_t signal_every = 1;
  uint64_t step = 4;
  int64_t ns_per_turn = 1000;
  uint64_t room = 1 << 20;
  bool completes = true;
  absl::Status status;
  std::atomic<int64_t> now_ns = 0;

  uint64_t posted = 0;
  uint64_t posted_when_asked = 0;
  uint64_t signalled = 0;
  uint64_t completed = 0;
  uint64_t most_in_flight = 0;
  uint64_t longest_list = 0;
  bool last_was_signalled = false;
};

absl::Status Fine() { return absl::OkStatus(); }

struct Ran {
  absl::Status status;
  Measured measured;
};

Ran RunLoop(CountingDriver& driver, const CellSpec& spec,
            absl::FunctionRef<absl::Status()> look = Fine,
            absl::FunctionRef<absl::Status()> glance = Fine) {
  driver.signal_every = spec.signal_every();
  Loops<CountingDriver> loops(driver, spec, Clock::Simulated(&driver.now_ns),
                              absl::Milliseconds(500), {.look = look, .glance = glance});
  Ran ran;
  ran.status = loops.Run(ran.measured);
  return ran;
}

TEST(RateLoop, KeepsTheWindowFullAndNeverMore) {
  CountingDriver driver;
  const Ran ran = RunLoop(driver, {.window = 64, .duration = absl::Milliseconds(300)});
  ASSERT_TRUE(ran.status.ok()) << ran.status;
  EXPECT_EQ(driver.most_in_flight, 64);
  EXPECT_LE(driver.longest_list, 32);
}

TEST(RateLoop, TheRateIsThatOfTheDriver) {
  CountingDriver driver;  // 4 messages per microsecond
  const Ran ran = RunLoop(driver, {.window = 64, .duration = absl::Milliseconds(300)});
  ASSERT_TRUE(ran.status.ok());
  EXPECT_GE(ran.measured.elapsed_ns, 300'000'000);
  const double per_us = static_cast<double>(ran.measured.messages) /
                        static_cast<double>(ran.measured.elapsed_ns) * 1e3;
  EXPECT_NEAR(per_us, 4, 0.1);
}

TEST(RateLoop, SubWindowsAreRawAndSumUp) {
  CountingDriver driver;
  const Ran ran = RunLoop(driver, {.window = 16, .duration = absl::Milliseconds(300)});
  ASSERT_TRUE(ran.status.ok());
  int64_t ns = 0;
  int64_t messages = 0;
  for (const MeasuredPart& part : ran.measured.sub_windows) {
    ns += part.ns;
    messages += part.messages;
    EXPECT_GT(part.ns, 50'000'000) << "a clock read now and then, not per message";
  }
  EXPECT_GE(ran.measured.sub_windows.size(), 2);
  EXPECT_EQ(ns, ran.measured.elapsed_ns);
  EXPECT_EQ(messages, static_cast<int64_t>(ran.measured.messages));
}

TEST(RateLoop, EndsWithNothingInFlightWhateverIsSignalled) {
  for (const int every : {1, 3, 7, 16}) {
    CountingDriver driver;
    const Ran ran = RunLoop(
        driver, {.window = 16, .duration = absl::Milliseconds(10), .signal_every_asked = every});
    ASSERT_TRUE(ran.status.ok()) << every << ": " << ran.status;
    EXPECT_EQ(driver.posted, driver.completed) << every;
    EXPECT_EQ(ran.measured.total, driver.posted) << every;
  }
}

TEST(RateLoop, IterationsAreCountedToTheLast) {
  CountingDriver driver;
  const Ran ran = RunLoop(driver, {.window = 16, .iterations = 1001, .signal_every_asked = 7});
  ASSERT_TRUE(ran.status.ok()) << ran.status;
  EXPECT_EQ(ran.measured.messages, 1001);
  EXPECT_TRUE(driver.last_was_signalled) << "1001 is no multiple of 7";
  EXPECT_GT(ran.measured.total, 1001) << "some ran before";
}

TEST(RateLoop, HeedsTheRoomThatThePeerHas) {
  CountingDriver driver;
  driver.room = 3;
  const Ran ran = RunLoop(driver, {.window = 64, .duration = absl::Milliseconds(10)});
  ASSERT_TRUE(ran.status.ok());
  EXPECT_LE(driver.longest_list, 3);
}

TEST(RateLoop, APeerThatGivesNoRoomEndsTheWait) {
  CountingDriver driver;
  driver.room = 0;
  const Ran ran = RunLoop(driver, {.window = 64});
  EXPECT_TRUE(absl::IsDeadlineExceeded(ran.status)) << ran.status;
}

TEST(RateLoop, NothingCompletesEndsTheWaitAndSaysWhatIsInFlight) {
  CountingDriver driver;
  driver.completes = false;
  const Ran ran = RunLoop(driver, {.window = 8});
  EXPECT_TRUE(absl::IsDeadlineExceeded(ran.status));
  EXPECT_THAT(std::string(ran.status.message()),
              HasSubstr("nothing completed for 500 ms with 8 operations in flight"));
}

TEST(RateLoop, AFailureOfTheLibraryEndsItAtOnce) {
  CountingDriver driver;
  driver.completes = false;
  driver.status = absl::PermissionDeniedError("wrong key");
  EXPECT_EQ(RunLoop(driver, {.window = 8}).status, driver.status);
}

TEST(RateLoop, ALostPeerEndsIt) {
  CountingDriver driver;
  driver.completes = false;
  const auto lost = [] { return absl::UnavailableError("gone"); };
  EXPECT_EQ(RunLoop(driver, {.window = 8}, lost).status, absl::UnavailableError("gone"));
}

TEST(RateLoop, ACellThatNeverIdlesEndsAtTheNextSubWindow) {
  const auto stopped = [] { return absl::CancelledError("SIGTERM"); };
  for (const uint64_t iterations : {uint64_t{0}, uint64_t{1} << 40}) {
    CountingDriver driver;
    const Ran ran = RunLoop(
        driver, {.window = 8, .iterations = iterations, .duration = absl::Hours(1)}, Fine, stopped);
    EXPECT_TRUE(absl::IsCancelled(ran.status)) << ran.status;
    EXPECT_LT(driver.now_ns, 2'000'000'000) << "not after the hour";
  }
}

TEST(LatencyLoop, ACellThatNeverIdlesEndsAfterSomeOperations) {
  const auto stopped = [] { return absl::CancelledError("SIGTERM"); };
  CountingDriver driver;
  const CellSpec spec = {.latency = true, .window = 1, .iterations = 1'000'000};
  EXPECT_TRUE(absl::IsCancelled(RunLoop(driver, spec, Fine, stopped).status));
  EXPECT_LT(driver.completed, 2 * kOperationsPerGlance);
}

TEST(LatencyLoop, HasATimeForEachOperation) {
  CountingDriver driver;
  driver.ns_per_turn = 700;
  const Ran ran = RunLoop(driver, {.latency = true, .window = 1, .iterations = 100});
  ASSERT_TRUE(ran.status.ok()) << ran.status;
  ASSERT_TRUE(ran.measured.latency_ns.has_value());
  EXPECT_EQ(ran.measured.latency_ns->size(), 100);
  EXPECT_THAT(*ran.measured.latency_ns, testing::Each(700));
  EXPECT_EQ(driver.most_in_flight, 1);
  EXPECT_TRUE(ran.measured.sub_windows.empty());
}

TEST(LatencyLoop, TheRingIsBoundedWhateverTheDuration) {
  CountingDriver driver;
  driver.ns_per_turn = 1;
  const Ran ran = RunLoop(driver, {.latency = true, .window = 1, .duration = absl::Seconds(1)});
  ASSERT_TRUE(ran.status.ok());
  EXPECT_EQ(ran.measured.messages, kMostLatencies);
}

// The same loop over the real posting and draining code.
using Writer = VerbsDriver<IBV_WR_RDMA_WRITE, false>;
using Sender = VerbsDriver<IBV_WR_SEND, false>;

verbs::PosterOptions OptionsOf(verbs::StandInProvider& provider, const CellSpec& spec) {
  return {.pair = provider.pair(),
          .bytes = 64,
          .stride = 64,
          .slots = 10,
          .signal_every = spec.signal_every(),
          .longest_list = spec.post_list()};
}

template <typename Driver>
absl::Status RunOver(verbs::StandInProvider& provider, const CellSpec& spec, Measured& measured,
                     CreditMailbox& mailbox) {
  Driver driver(OptionsOf(provider, spec), provider.sends(), mailbox, "queue pair 1 on stand-in");
  Loops<Driver> loops(driver, spec, Clock::MonotonicRaw(), absl::Milliseconds(200),
                      {.look = Fine, .glance = Fine});
  return loops.Run(measured);
}

TEST(VerbsLoop, EveryPostedMessageCompletes) {
  verbs::StandInProvider provider;
  CreditMailbox mailbox;
  Measured measured;
  const CellSpec spec = {.window = 64, .iterations = 10'000};
  ASSERT_TRUE(RunOver<Writer>(provider, spec, measured, mailbox).ok());
  EXPECT_EQ(measured.messages, 10'000);
  EXPECT_EQ(measured.total, provider.sent);
}

TEST(VerbsLoop, AWrongKeyIsTheCauseAndNotTheFlushesAfterIt) {
  verbs::StandInProvider provider;
  provider.fail_at = 5'000;
  CreditMailbox mailbox;
  Measured measured;
  const CellSpec spec = {.window = 64, .iterations = 100'000'000};
  const absl::Status status = RunOver<Writer>(provider, spec, measured, mailbox);
  EXPECT_TRUE(absl::IsPermissionDenied(status)) << status;
  EXPECT_EQ(verbs::CompletionFactsOf(status)->wc_status, "IBV_WC_REM_ACCESS_ERR");
  EXPECT_LT(measured.total, 5'000);
}

TEST(VerbsLoop, ADeviceThatRefusesAPostEndsIt) {
  verbs::StandInProvider provider;
  provider.post_error = 19;  // ENODEV: the link was removed
  CreditMailbox mailbox;
  Measured measured;
  const absl::Status status =
      RunOver<Writer>(provider, {.window = 4, .iterations = 100}, measured, mailbox);
  EXPECT_THAT(std::string(status.message()), HasSubstr("ibv_post_send"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("the device is gone"));
}

TEST(VerbsLoop, ASendNeverRunsAheadOfThePostedReceives) {
  verbs::StandInProvider provider;
  CreditMailbox mailbox;
  mailbox.posted = 100;  // and nobody posts more
  Measured measured;
  const absl::Status status = RunOver<Sender>(
      provider, {.op = RemoteOperation::kSend, .window = 64, .recv_depth = 100}, measured, mailbox);
  EXPECT_TRUE(absl::IsDeadlineExceeded(status)) << status;
  EXPECT_EQ(provider.sent, 100);
}

}  // namespace
}  // namespace rdmalab
