// One get after the other against a real owner service and a real UCX worker that is connected to
// itself; only the control channel is the test's, so that it can lie, fail, and count.
#include "engine/arms/get_arm.h"

#include <sys/socket.h>

#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/arms/direct_channel.h"
#include "engine/base/clock.h"
#include "engine/rendezvous/owner_service.h"
#include "engine/ucx/context.h"
#include "engine/ucx/worker.h"
#include "gtest/gtest.h"

namespace rdmalab {
namespace {

constexpr size_t kBytes = 300'000;

class GetArmTest : public testing::Test {
 protected:
  void SetUp() override {
    context_.emplace(*ucx::Context::Create({.overrides = {{"TLS", "self"}}}));
    registrar_.emplace(*context_);
    owner_pool_ = *ArenaPool::Create(*registrar_, {.first_arena_bytes = 1 << 20});
    SetConsumerBudget(8 << 20);
    worker_.emplace(*ucx::Worker::Create(*context_, {}));
    inbox_ = *AmInbox::Create(*worker_);
    service_.emplace(*owner_pool_, absl::Seconds(5), clock_);
    channel_.emplace(*service_);
    std::array<int, 2> sockets{};
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets.data()), 0);
    session_.emplace(*FrameConnection::Create(FileDescriptor(sockets[0]), "owner"));
    owner_end_ = FileDescriptor(sockets[1]);
    keeper_.emplace(*session_, clock_);
    const std::vector<SlotRequest> slots = {{.slot = 0, .bytes = kBytes}};
    ASSERT_TRUE(service_
                    ->Stage(slots,
                            [](uint32_t, absl::Span<uint8_t> payload) {
                              for (size_t i = 0; i < payload.size(); ++i) payload[i] = Due(i);
                            })
                    .ok());
  }

  static uint8_t Due(size_t i) { return static_cast<uint8_t>(i * 31 + i / 251); }

  void SetConsumerBudget(size_t bytes) {
    memory_.reset();
    consumer_pool_ =
        *ArenaPool::Create(*registrar_, {.budget_bytes = bytes, .first_arena_bytes = bytes});
    memory_ = *ConsumerMemory::Create(*registrar_, *consumer_pool_, kBytes);
  }

  // One get of `spec`, checked where it ends well, released and finished.
  GetOutcome Get(const ArmSpec& spec, const std::string& address) {
    ArmLink link(*worker_, *inbox_, *channel_,
                 {.owner_address = address, .error_handling = ucx::ErrorHandling::kNone});
    const GetEnvironment environment{.clock = clock_,
                                     .timeout = timeout_,
                                     .memory = *memory_,
                                     .registrar = *registrar_,
                                     .keeper = *keeper_,
                                     .puller = puller_};
    GetArm arm(environment, spec, link, executor_);
    const auto poison = [](absl::Span<uint8_t> to) { std::memset(to.data(), 0xee, to.size()); };
    EXPECT_TRUE(arm.Prepare(kBytes, poison).ok());
    GetOutcome outcome = arm.Get(0);
    if (outcome.error.ok()) {
      EXPECT_EQ(arm.destination().size(), kBytes);
      for (size_t i = 0; i < arm.destination().size(); ++i) {
        if (arm.destination()[i] != Due(i)) {
          ADD_FAILURE() << "wrong byte at " << i;
          break;
        }
      }
    }
    arm.Release(outcome);
    arm.Finish();
    ucx::Patience patience(Deadline::After(clock_, absl::Seconds(20)));
    EXPECT_TRUE(link.Close(patience).ok());
    return outcome;
  }
  GetOutcome Get(const ArmSpec& spec) { return Get(spec, *worker_->Address()); }

  void ExpectChunked(const GetOutcome& outcome, Reason reason) {
    EXPECT_TRUE(outcome.error.ok()) << outcome.error;
    EXPECT_FALSE(outcome.rdma);
    EXPECT_EQ(outcome.reason, reason) << Name(outcome.reason);
    EXPECT_EQ(outcome.bytes, kBytes);
    EXPECT_EQ(outcome.chunks, 3u);
    EXPECT_EQ(service_->counters().acquires, 1u) << "the fallback stays under the same offer";
    EXPECT_EQ(service_->counters().pulls, 3u);
    EXPECT_TRUE(service_->Idle());
  }

  const Clock clock_ = Clock::MonotonicRaw();
  absl::Duration timeout_ = absl::Seconds(20);
  std::optional<ucx::Context> context_;
  std::optional<UcxRegistrar> registrar_;
  std::unique_ptr<ArenaPool> owner_pool_;
  std::unique_ptr<ArenaPool> consumer_pool_;
  std::unique_ptr<ConsumerMemory> memory_;
  std::optional<ucx::Worker> worker_;
  std::unique_ptr<AmInbox> inbox_;
  std::optional<OwnerService> service_;
  std::optional<DirectChannel> channel_;
  std::optional<FrameConnection> session_;
  FileDescriptor owner_end_;
  std::optional<LeaseKeeper> keeper_;
  ChunkPuller puller_;
  InlineExecutor executor_;
  ArmSpec spec_{.name = "arm", .chunk_bytes = 128 * 1024, .piece_bytes = 65536};
};

TEST_F(GetArmTest, EachReadBringsThePayloadByRdma) {
  for (const ArmSpec::Read read :
       {ArmSpec::Read::kOwned, ArmSpec::Read::kPinned, ArmSpec::Read::kInto}) {
    spec_.read = read;
    const GetOutcome outcome = Get(spec_);
    EXPECT_TRUE(outcome.error.ok()) << outcome.error;
    EXPECT_TRUE(outcome.rdma);
    EXPECT_EQ(outcome.reason, Reason::kOk);
    EXPECT_EQ(outcome.bytes, kBytes);
    EXPECT_EQ(outcome.chunks, 0u);
    EXPECT_EQ(outcome.registrations, 0);
    EXPECT_EQ(*outcome.copy_ns > 0, read == ArmSpec::Read::kOwned);
    EXPECT_TRUE(outcome.release_ns.has_value());
  }
  EXPECT_EQ(service_->counters().pulls, 0u);
  EXPECT_TRUE(service_->Idle());
}

TEST_F(GetArmTest, AnOverlappedCopyBringsTheSameBytesThroughTwoPieces) {
  spec_.overlapped_copy = true;
  for (const bool fresh : {false, true}) {
    spec_.fresh_destination = fresh;
    const GetOutcome outcome = Get(spec_);
    EXPECT_TRUE(outcome.error.ok()) << outcome.error;
    EXPECT_TRUE(outcome.rdma);
  }
  EXPECT_LT(consumer_pool_->counters().registered_bytes, size_t{16} << 20);
}

TEST_F(GetArmTest, AFreshDestinationPaysForItsPages) {
  spec_.fresh_destination = true;
  const int64_t fresh = Get(spec_).minor_faults;
  spec_.fresh_destination = false;
  (void)Get(spec_);  // the kept buffer is made
  const int64_t kept = Get(spec_).minor_faults;
  EXPECT_GE(fresh, kept + static_cast<int64_t>(kBytes / 65536)) << "even with pages of 64 KiB";
}

TEST_F(GetArmTest, ALyingDescriptorFallsBackToChunksOnce) {
  channel_->lie = [](std::vector<uint8_t>& descriptor) { descriptor.pop_back(); };
  ExpectChunked(Get(spec_), Reason::kDecodeError);
}

TEST_F(GetArmTest, AReadThatCannotBeMadeFallsBackToChunksOnce) {
  const GetOutcome outcome = Get(spec_, /*address=*/"");
  ExpectChunked(outcome, Reason::kGetFailed);
  EXPECT_FALSE(outcome.fallback_cause.ok());
}

TEST_F(GetArmTest, APoolWithoutRoomFallsBackToChunksOnce) {
  SetConsumerBudget(65536);
  ExpectChunked(Get(spec_), Reason::kPoolExhausted);
}

TEST_F(GetArmTest, AnOwnerThatIsGoneIsAnErrorAndNoFallback) {
  channel_->broken = absl::UnavailableError("gone");
  const GetOutcome outcome = Get(spec_);
  EXPECT_TRUE(absl::IsUnavailable(outcome.error)) << outcome.error;
  EXPECT_EQ(outcome.error_phase, Phase::kAcquire);
  EXPECT_FALSE(outcome.transfer_ns.has_value());
  EXPECT_FALSE(outcome.release_ns.has_value());
}

TEST_F(GetArmTest, AnOwnerThatFallsSilentCostsOneDeadlineAndNotASecondForTheRelease) {
  spec_.asks_for_rdma = false;
  channel_->lie = [](std::vector<uint8_t>& descriptor) { descriptor.clear(); };
  channel_->silent_from = RequestKind::kPull;
  timeout_ = absl::Milliseconds(20);
  const GetOutcome outcome = Get(spec_);
  EXPECT_TRUE(absl::IsDeadlineExceeded(outcome.error)) << outcome.error;
  EXPECT_EQ(outcome.error_phase, Phase::kTransfer);
  EXPECT_FALSE(outcome.release_ns.has_value());
  EXPECT_EQ(channel_->requests, 2) << "the acquire and the first pull";
}

TEST_F(GetArmTest, AnOwnerThatIsLostDuringTheReleaseEndsMoreThanTheGet) {
  spec_.asks_for_rdma = false;
  channel_->lie = [](std::vector<uint8_t>& descriptor) { descriptor.clear(); };
  channel_->wrong_chunks = true;
  channel_->silent_from = RequestKind::kRelease;
  timeout_ = absl::Milliseconds(20);
  const GetOutcome outcome = Get(spec_);
  EXPECT_TRUE(absl::IsDeadlineExceeded(outcome.error)) << outcome.error;
  EXPECT_NE(std::string(outcome.error.message()).find("chunk #0"), std::string::npos)
      << "what came first is told too: " << outcome.error;
  EXPECT_EQ(outcome.error_phase, Phase::kRelease);
}

TEST_F(GetArmTest, AnOwnerWithoutThePayloadIsAnError) {
  ASSERT_TRUE(service_->Stage({}, [](uint32_t, absl::Span<uint8_t>) {}).ok());
  EXPECT_TRUE(absl::IsAborted(Get(spec_).error));
}

TEST_F(GetArmTest, TheKillSwitchIsTheReasonOnlyWhereRdmaWasAsked) {
  const std::vector<SlotRequest> slots = {
      {.slot = 0, .bytes = kBytes, .policy = {.kill_switch = true}}};
  ASSERT_TRUE(service_
                  ->Stage(slots,
                          [](uint32_t, absl::Span<uint8_t> payload) {
                            for (size_t i = 0; i < payload.size(); ++i) payload[i] = Due(i);
                          })
                  .ok());
  EXPECT_EQ(Get(spec_).reason, Reason::kKillSwitch);
  spec_.asks_for_rdma = false;
  const GetOutcome outcome = Get(spec_);
  EXPECT_EQ(outcome.reason, Reason::kOk);
  EXPECT_EQ(outcome.refusal, Refusal::kKillSwitch);
  EXPECT_FALSE(outcome.pinned);
  EXPECT_EQ(outcome.staging_reason, StagingReason::kKillSwitch);
}

}  // namespace
}  // namespace rdmalab
