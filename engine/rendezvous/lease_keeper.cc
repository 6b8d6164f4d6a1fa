#include "engine/rendezvous/lease_keeper.h"

#include "engine/base/deadline.h"
#include "engine/base/status.h"
#include "engine/base/stop_signal.h"
#include "engine/rendezvous/wire.h"

namespace rdmalab {
namespace {

// A renewal is 48 bytes; a connection that does not take them within this time has a dead peer.
constexpr absl::Duration kSendTime = absl::Seconds(1);

}  // namespace

void LeaseKeeper::Hold(ControlChannel& channel, const Reply& offer) {
  channel_ = &channel;
  lease_ = offer.lease;
  generation_ = offer.generation;
  half_ns_ = int64_t{offer.lease_ms} * 500'000;
  renew_at_ns_ = clock_.Now() + half_ns_;
}

absl::Status LeaseKeeper::Look(void* self) {
  auto* keeper = static_cast<LeaseKeeper*>(self);
  RETURN_IF_ERROR(StopSignal::Check());
  RETURN_IF_ERROR(keeper->session_.LookAlive());
  if (keeper->channel_ == nullptr || keeper->clock_.Now() < keeper->renew_at_ns_) {
    return absl::OkStatus();
  }
  // This look may be that of a request which waits for room in the connection; a renewal would
  // stand in the middle of it. The next look renews.
  if (keeper->session_.sending()) return absl::OkStatus();
  return keeper->Renew();
}

absl::Status LeaseKeeper::Renew() {
  renew_at_ns_ = clock_.Now() + half_ns_;
  ++renewals_;
  ucx::Patience patience(
      Deadline::After(clock_, kSendTime));  // without a liveness look: this is one
  // No sequence of its own: a pull that goes on counts its chunks by consecutive ones.
  return channel_->Send({.kind = RequestKind::kRenew,
                         .sequence = kNobodyWaits,
                         .lease = lease_,
                         .generation = generation_},
                        patience);
}

}  // namespace rdmalab
