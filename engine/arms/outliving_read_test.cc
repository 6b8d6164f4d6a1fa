// A read that is still pending when its get gives up, on an endpoint whose error handling can end
// nothing by force: UCX writes its bytes whenever it gets them, so their memory must still be there
// and belong to nobody else.
#include <sys/socket.h>

#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "engine/arms/direct_channel.h"
#include "engine/arms/get_arm.h"
#include "engine/base/clock.h"
#include "engine/ucx/connected_workers.h"
#include "gtest/gtest.h"

namespace rdmalab {
namespace {

constexpr size_t kBytes = 300'000;
constexpr uint8_t kDue = 7;
constexpr uint8_t kPoison = 0xee;

// On tcp a GET needs the owner's help, so stopping the owner is enough to leave one pending.
inline const ucx::LaneUnderTest kNothingEndsByForce = {"tcp", "tcp", ucx::ErrorHandling::kNone};

class OutlivingReadTest : public testing::Test {
 protected:
  void SetUp() override {
    workers_ = *ucx::ConnectedWorkers::Create(kNothingEndsByForce);
    registrar_.emplace(workers_->context());
    pool_ = *ArenaPool::Create(*registrar_, {.first_arena_bytes = 1 << 20});
    memory_ = *ConsumerMemory::Create(*registrar_, *pool_, kBytes);
    service_.emplace(*pool_, absl::Seconds(60), clock_);
    const std::vector<SlotRequest> slots = {{.slot = 0, .bytes = kBytes}};
    const auto fill = [](uint32_t, absl::Span<uint8_t> to) { Fill(to, kDue); };
    ASSERT_TRUE(service_->Stage(slots, fill).ok());
    channel_.emplace(*service_);
    inbox_ = *AmInbox::Create(workers_->consumer());
    std::array<int, 2> sockets{};
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets.data()), 0);
    session_.emplace(*FrameConnection::Create(FileDescriptor(sockets[0]), "owner"));
    owner_end_ = FileDescriptor(sockets[1]);
    keeper_.emplace(*session_, clock_);
    link_ = std::make_unique<ArmLink>(workers_->consumer(), *inbox_, *channel_,
                                      LinkOptions{.owner_address = *workers_->owner().Address(),
                                                  .error_handling = ucx::ErrorHandling::kNone});
  }

  static void Fill(absl::Span<uint8_t> to, uint8_t byte) {
    std::memset(to.data(), byte, to.size());
  }

  GetOutcome Get(absl::Duration timeout) {
    const GetEnvironment environment{.clock = clock_,
                                     .timeout = timeout,
                                     .memory = *memory_,
                                     .registrar = *registrar_,
                                     .keeper = *keeper_,
                                     .puller = puller_};
    GetArm arm(environment, {.name = "arm", .read = ArmSpec::Read::kPinned}, *link_, executor_);
    EXPECT_TRUE(arm.Prepare(kBytes, [](absl::Span<uint8_t> to) { Fill(to, kPoison); }).ok());
    landed_ = arm.destination().data();
    GetOutcome outcome = arm.Get(0);
    arm.Release(outcome);
    arm.Finish();
    return outcome;
  }

  const Clock clock_ = Clock::MonotonicRaw();
  std::unique_ptr<ucx::ConnectedWorkers> workers_;
  std::optional<UcxRegistrar> registrar_;
  std::unique_ptr<ArenaPool> pool_;
  std::unique_ptr<ConsumerMemory> memory_;
  std::optional<OwnerService> service_;
  std::optional<DirectChannel> channel_;
  std::unique_ptr<AmInbox> inbox_;
  std::optional<FrameConnection> session_;
  FileDescriptor owner_end_;
  std::optional<LeaseKeeper> keeper_;
  std::unique_ptr<ArmLink> link_;
  ChunkPuller puller_;
  InlineExecutor executor_;
  const uint8_t* landed_ = nullptr;  // where the last get's bytes were to land
};

TEST_F(OutlivingReadTest, WritesIntoMemoryThatIsStillItsOwn) {
  ASSERT_TRUE(Get(absl::Seconds(20)).error.ok());
  const uint64_t staged = 1;
  ASSERT_EQ(pool_->counters().leases, staged) << "a get that has ended gives its memory back";
  workers_->StopOwner();
  const GetOutcome outcome = Get(absl::Milliseconds(20));
  EXPECT_TRUE(absl::IsDeadlineExceeded(outcome.error)) << outcome.error;
  EXPECT_EQ(pool_->counters().leases, staged + 1);
  EXPECT_EQ(landed_[kBytes - 1], kPoison);
  workers_->StartOwner();
  ucx::Patience patience = ucx::ConnectedWorkers::Seconds(20);
  while (landed_[kBytes - 1] == kPoison && patience.Spin()) workers_->consumer().Progress();
  EXPECT_EQ(landed_[kBytes - 1], kDue) << "UCX has written to it after the get was over";
}

}  // namespace
}  // namespace rdmalab
