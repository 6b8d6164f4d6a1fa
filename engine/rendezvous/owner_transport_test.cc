// Requests over active messages between two real workers; the test drives both, so that a reply
// stays under way for as long as it wants.
#include "engine/rendezvous/owner_transport.h"

#include <cstring>
#include <memory>
#include <vector>

#include "engine/base/clock.h"
#include "engine/memory/arena_pool.h"
#include "engine/rendezvous/am_channel.h"
#include "engine/rendezvous/ucx_registrar.h"
#include "engine/ucx/connected_workers.h"
#include "gtest/gtest.h"

namespace rdmalab {
namespace {

constexpr size_t kBytes = size_t{4} << 20;  // UCX sends so much only when the receiver has agreed

class AmOwnerTest : public testing::TestWithParam<ucx::LaneUnderTest> {
 protected:
  void SetUp() override {
    workers_ = *ucx::ConnectedWorkers::Create(GetParam());
    workers_->StopOwner();
    registrar_ = std::make_unique<UcxRegistrar>(workers_->context());
    pool_ = *ArenaPool::Create(*registrar_, {.first_arena_bytes = kBytes});
    service_ = std::make_unique<OwnerService>(*pool_, absl::Seconds(60), Clock::MonotonicRaw());
    const std::vector<SlotRequest> slots = {{.slot = 0, .bytes = kBytes}};
    const auto fill = [](uint32_t, absl::Span<uint8_t> to) {
      std::memset(to.data(), 7, to.size());
    };
    ASSERT_TRUE(service_->Stage(slots, fill).ok());
    owner_ = *AmOwner::Create(workers_->owner(), *service_);
    inbox_ = *AmInbox::Create(workers_->consumer());
    channel_ = std::make_unique<AmChannel>(*inbox_, workers_->endpoint());
  }

  // Sends it, without driving the consumer's worker afterwards.
  void Send(const Request& request) {
    ucx::Patience patience = ucx::ConnectedWorkers::Seconds(20);
    ASSERT_TRUE(channel_->Send(request, patience).ok());
  }

  // The reply to the last request; drives both workers.
  Reply Receive() {
    ucx::Patience patience = ucx::ConnectedWorkers::Seconds(20);
    while (patience.Spin()) {
      workers_->owner().Progress();
      auto received = channel_->Poll();
      EXPECT_TRUE(received.ok()) << received.status();
      if (!received.ok()) break;
      if (*received != nullptr) return (*received)->reply;
    }
    ADD_FAILURE() << "no reply";
    return {};
  }

  // A chunk that the owner has started to send and that the consumer has not taken.
  void LeaveAChunkUnderWay() {
    Send({.kind = RequestKind::kAcquire, .length = kBytes});
    const Reply offer = Receive();
    ASSERT_EQ(owner_->in_flight(), 0u);
    Send({.kind = RequestKind::kPull,
          .lease = offer.lease,
          .generation = offer.generation,
          .length = kBytes});
    ucx::Patience patience = ucx::ConnectedWorkers::Seconds(20);
    while (owner_->in_flight() == 0 && patience.Spin()) workers_->owner().Progress();
    ASSERT_EQ(owner_->in_flight(), 1u);
  }

  std::unique_ptr<ucx::ConnectedWorkers> workers_;  // outlives all that follows
  std::unique_ptr<UcxRegistrar> registrar_;
  std::unique_ptr<ArenaPool> pool_;
  std::unique_ptr<OwnerService> service_;
  std::unique_ptr<AmOwner> owner_;
  std::unique_ptr<AmInbox> inbox_;
  std::unique_ptr<AmChannel> channel_;
};

TEST_P(AmOwnerTest, GoesBeforeTheWorkerWhileAReplyIsInFlight) {
  LeaveAChunkUnderWay();
  owner_.reset();
  workers_->DestroyOwner();  // reports the reply as cancelled: to nobody any more
}

TEST_P(AmOwnerTest, IsNotToldOfAReplyThatEndsAfterIt) {
  LeaveAChunkUnderWay();
  owner_.reset();
  ucx::Patience patience(Deadline::After(Clock::MonotonicRaw(), absl::Milliseconds(200)));
  while (patience.Spin()) {  // the consumer drops the chunk, the owner learns of it
    workers_->owner().Progress();
    workers_->consumer().Progress();
  }
}

INSTANTIATE_TEST_SUITE_P(Lanes, AmOwnerTest, testing::Values(ucx::kTcp, ucx::kShm),
                         [](const auto& lane) { return lane.param.name; });

}  // namespace
}  // namespace rdmalab
