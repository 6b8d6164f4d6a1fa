#include "engine/rendezvous/owner_service.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/memory/registrar.h"
#include "engine/rendezvous/descriptor.h"
#include "engine/testing/simulated_time.h"
#include "gtest/gtest.h"

namespace rdmalab {
namespace {

constexpr size_t kBytes = 10'000;

// Registers anything, under a key of the length of a real one.
class KeyRegistrar : public Registrar {
 public:
  absl::StatusOr<std::unique_ptr<Registration>> Register(uint8_t*, size_t) override {
    return std::make_unique<Key>();
  }

 private:
  class Key : public Registration {
   public:
    absl::string_view packed_key() const override { return "0123456789a"; }
  };
};

class OwnerServiceTest : public testing::Test {
 protected:
  OwnerServiceTest() {
    pool_ = *ArenaPool::Create(registrar_, {.budget_bytes = 1 << 20, .first_arena_bytes = 1 << 20});
    service_ = std::make_unique<OwnerService>(*pool_, /*lease=*/absl::Seconds(5), time_.clock());
  }

  void Stage(const SlotRequest& request) {
    const std::vector<SlotRequest> requests = {request};
    ASSERT_TRUE(service_
                    ->Stage(requests,
                            [this](uint32_t slot, absl::Span<uint8_t> payload) {
                              for (size_t i = 0; i < payload.size(); ++i)
                                payload[i] = static_cast<uint8_t>(i + fill_);
                              EXPECT_EQ(slot, 0u);
                            })
                    .ok());
  }

  Reply Acquire(uint32_t slot = 0, uint64_t bytes = kBytes) {
    answer_ = service_->Handle(
        {.kind = RequestKind::kAcquire, .sequence = 7, .slot = slot, .length = bytes});
    return answer_.reply;
  }

  Reply Under(const Reply& offer, RequestKind kind, uint64_t offset = 0, uint64_t length = 0) {
    answer_ = service_->Handle({.kind = kind,
                                .sequence = 8,
                                .lease = offer.lease,
                                .generation = offer.generation,
                                .offset = offset,
                                .length = length});
    return answer_.reply;
  }

  SimulatedTime time_;
  KeyRegistrar registrar_;
  std::unique_ptr<ArenaPool> pool_;
  std::unique_ptr<OwnerService> service_;
  OwnerService::Answer answer_;
  size_t fill_ = 1;
};

TEST_F(OwnerServiceTest, OffersAPinnedPayloadByDescriptor) {
  Stage({.bytes = kBytes});
  const Reply offer = Acquire();
  EXPECT_EQ(offer.kind, ReplyKind::kRdma);
  EXPECT_EQ(offer.sequence, 7u);
  EXPECT_TRUE(offer.pinned);
  EXPECT_EQ(offer.lease_ms, 5000u);
  auto descriptor =
      DecodeDescriptor(answer_.data, {.generation = offer.generation, .length = kBytes});
  ASSERT_TRUE(descriptor.ok()) << descriptor.status();
  const auto* payload = reinterpret_cast<const uint8_t*>(descriptor->address);
  EXPECT_EQ(payload[3], 4);
}

TEST_F(OwnerServiceTest, EachRefusalHasItsReason) {
  struct Case {
    SlotRequest request;
    Refusal refusal;
  };
  for (const Case& refused :
       {Case{{.bytes = kBytes, .policy = {.kill_switch = true}}, Refusal::kKillSwitch},
        Case{{.bytes = kBytes, .policy = {.min_bytes = kBytes + 1}}, Refusal::kBelowMin},
        Case{{.bytes = kBytes, .policy = {.rdma = false}}, Refusal::kNotConfigured},
        Case{{.bytes = kBytes, .pinned = false}, Refusal::kNotPinned}}) {
    Stage(refused.request);
    const Reply offer = Acquire();
    EXPECT_EQ(offer.kind, ReplyKind::kReady);
    EXPECT_EQ(offer.refusal, refused.refusal) << Name(offer.refusal);
    EXPECT_TRUE(answer_.data.empty());
  }
}

TEST_F(OwnerServiceTest, TheKillSwitchStagesPlainAndSaysSo) {
  Stage({.bytes = kBytes, .pinned = true, .policy = {.kill_switch = true}});
  const Reply offer = Acquire();
  EXPECT_FALSE(offer.pinned);
  EXPECT_EQ(offer.staging_reason, StagingReason::kKillSwitch);
}

TEST_F(OwnerServiceTest, ABudgetThatIsSpentStagesPlainAndSaysSo) {
  Stage({.bytes = 2 << 20});
  const Reply offer = Acquire(0, 2 << 20);
  EXPECT_EQ(offer.kind, ReplyKind::kReady);
  EXPECT_EQ(offer.refusal, Refusal::kNotPinned);
  EXPECT_EQ(offer.staging_reason, StagingReason::kBudget);
  EXPECT_FALSE(offer.pinned);
}

TEST_F(OwnerServiceTest, ADrainingOwnerOffersNoRdmaButStillServes) {
  Stage({.bytes = kBytes});
  service_->Drain();
  const Reply offer = Acquire();
  EXPECT_EQ(offer.refusal, Refusal::kDraining);
  EXPECT_EQ(Under(offer, RequestKind::kPull, 0, 100).kind, ReplyKind::kChunk);
}

TEST_F(OwnerServiceTest, ChunksAreWindowsOfThePayload) {
  Stage({.bytes = kBytes});
  const Reply offer = Acquire();
  const Reply chunk = Under(offer, RequestKind::kPull, 9'000, 1'000);
  ASSERT_EQ(chunk.kind, ReplyKind::kChunk);
  EXPECT_EQ(chunk.offset, 9'000u);
  ASSERT_EQ(answer_.data.size(), 1'000u);
  EXPECT_EQ(answer_.data[1], static_cast<uint8_t>(9'001 + 1));
}

TEST_F(OwnerServiceTest, AChunkOutsideThePayloadIsRefused) {
  Stage({.bytes = kBytes});
  const Reply offer = Acquire();
  struct Window {
    uint64_t offset, length;
  };
  for (const Window& window :
       {Window{kBytes, 1}, Window{kBytes - 1, 2}, Window{0, 0}, Window{0, kBytes + 1},
        Window{1, ~uint64_t{0}}, Window{~uint64_t{0}, 2}}) {
    EXPECT_EQ(Under(offer, RequestKind::kPull, window.offset, window.length).kind,
              ReplyKind::kStale)
        << window.offset << " " << window.length;
  }
}

TEST_F(OwnerServiceTest, UnknownSlotsAndOtherLengthsAreRefused) {
  Stage({.bytes = kBytes});
  EXPECT_EQ(Acquire(1).kind, ReplyKind::kStale);
  EXPECT_EQ(Acquire(0, kBytes - 1).kind, ReplyKind::kStale);
  EXPECT_EQ(service_->counters().stale_requests, 2u);
}

TEST_F(OwnerServiceTest, ALeaseEndsByDetachReleaseAndTime) {
  Stage({.bytes = kBytes});
  for (const RequestKind end : {RequestKind::kDetach, RequestKind::kRelease}) {
    const Reply offer = Acquire();
    EXPECT_EQ(Under(offer, end).kind, ReplyKind::kDone);
    EXPECT_EQ(Under(offer, RequestKind::kPull, 0, 1).kind, ReplyKind::kStale);
    EXPECT_EQ(Under(offer, end).kind, ReplyKind::kStale);
  }
  const Reply forgotten = Acquire();
  time_.Advance(absl::Seconds(5));
  EXPECT_EQ(Under(forgotten, RequestKind::kPull, 0, 1).kind, ReplyKind::kStale);
  EXPECT_FALSE(service_->Idle());
  service_->Reap();
  EXPECT_TRUE(service_->Idle());
  EXPECT_EQ(service_->counters().leases_expired, 1u);
  EXPECT_EQ(service_->counters().leases_ended, 2u);
}

TEST_F(OwnerServiceTest, ARenewedLeaseLivesOn) {
  Stage({.bytes = kBytes});
  const Reply offer = Acquire();
  time_.Advance(absl::Seconds(4));
  EXPECT_EQ(Under(offer, RequestKind::kRenew).kind, ReplyKind::kDone);
  time_.Advance(absl::Seconds(4));
  EXPECT_EQ(Under(offer, RequestKind::kPull, 0, 1).kind, ReplyKind::kChunk);
}

TEST_F(OwnerServiceTest, StagingAgainMakesOldLeasesAndGenerationsStale) {
  Stage({.bytes = kBytes});
  const Reply old = Acquire();
  fill_ = 2;
  Stage({.bytes = kBytes});
  EXPECT_EQ(Under(old, RequestKind::kPull, 0, 1).kind, ReplyKind::kStale);
  EXPECT_EQ(service_->counters().leases_dropped, 1u);
  const Reply offer = Acquire();
  EXPECT_NE(offer.generation, old.generation);
  Reply lying = offer;
  lying.generation = old.generation;
  EXPECT_EQ(Under(lying, RequestKind::kPull, 0, 1).kind, ReplyKind::kStale);
  ASSERT_EQ(Under(offer, RequestKind::kPull, 0, 1).kind, ReplyKind::kChunk);
  EXPECT_EQ(answer_.data[0], 2);
}

TEST_F(OwnerServiceTest, SlotsOfTheLastBlockGiveTheirMemoryBack) {
  const auto stage = [this](std::vector<SlotRequest> requests) {
    return service_->Stage(requests, [](uint32_t, absl::Span<uint8_t>) {});
  };
  ASSERT_TRUE(stage({{.slot = 1, .bytes = 600 << 10}}).ok());
  ASSERT_TRUE(stage({{.slot = 2, .bytes = 600 << 10}}).ok());
  EXPECT_TRUE(Acquire(2, 600 << 10).pinned) << "the budget holds one of them at a time";
  EXPECT_EQ(Acquire(1, 600 << 10).kind, ReplyKind::kStale);
}

}  // namespace
}  // namespace rdmalab
