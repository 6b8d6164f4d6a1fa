// Watches over a get while it waits: is the owner still there, and is the lease being held for so
// long that it must be renewed. It is the liveness look of the get's Patience, so it runs once per
// millisecond of waiting and costs a small get nothing.
#ifndef RDMALAB_ENGINE_RENDEZVOUS_LEASE_KEEPER_H_
#define RDMALAB_ENGINE_RENDEZVOUS_LEASE_KEEPER_H_

#include <cstdint>

#include "absl/status/status.h"
#include "engine/base/clock.h"
#include "engine/exchange/frame_connection.h"
#include "engine/rendezvous/control_channel.h"
#include "engine/ucx/patience.h"

namespace rdmalab {

class LeaseKeeper {
 public:
  // `session` outlives the keeper; its end is how the loss of the owner shows on every lane.
  LeaseKeeper(const FrameConnection& session, const Clock& clock)
      : session_(session), clock_(clock) {}

  // From now on the lease is held over `channel`, and renewed after each half of its time.
  void Hold(ControlChannel& channel, const Reply& offer);
  void Drop() { channel_ = nullptr; }

  uint64_t renewals() const { return renewals_; }

  ucx::Liveness liveness() { return {.look = &LeaseKeeper::Look, .self = this}; }

 private:
  static absl::Status Look(void* self);
  absl::Status Renew();

  const FrameConnection& session_;
  Clock clock_;
  ControlChannel* channel_ = nullptr;
  uint64_t lease_ = 0;
  uint64_t generation_ = 0;
  int64_t half_ns_ = 0;
  int64_t renew_at_ns_ = 0;
  uint64_t renewals_ = 0;
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_RENDEZVOUS_LEASE_KEEPER_H_
