// One get of an arm, from the acquire to the byte in the caller's hands:
//
//   GetArm arm(environment, spec, link, executor);
//   arm.Connect(...)                       eager endpoints only
//   arm.Prepare(bytes)                     memory and destination, outside the timed part
//   GetOutcome outcome = arm.Get(slot)     wireup? acquire, wireup?, transfer, copy
//   check arm.destination()
//   arm.Release(outcome)                   the lease goes; a phase of its own, outside the total
//   arm.Finish()                           the memory goes
//
// An RDMA read that cannot be made or fails falls back to chunks, exactly once per get and with its
// reason, unless what failed is the owner itself.
#ifndef RDMALAB_ENGINE_ARMS_GET_ARM_H_
#define RDMALAB_ENGINE_ARMS_GET_ARM_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/arms/arm_link.h"
#include "engine/arms/arm_spec.h"
#include "engine/arms/executor.h"
#include "engine/arms/get_outcome.h"
#include "engine/arms/landing.h"
#include "engine/arms/phase_watch.h"
#include "engine/base/clock.h"
#include "engine/rendezvous/chunk_puller.h"
#include "engine/rendezvous/control_channel.h"
#include "engine/rendezvous/descriptor.h"
#include "engine/rendezvous/lease_keeper.h"
#include "engine/rendezvous/ucx_registrar.h"
#include "engine/ucx/patience.h"

namespace rdmalab {

// What the gets of all arms share; everything outlives them.
struct GetEnvironment {
  Clock clock;
  absl::Duration timeout;  // of one get, and of its release
  ConsumerMemory& memory;
  const UcxRegistrar& registrar;
  LeaseKeeper& keeper;
  ChunkPuller& puller;
};

class GetArm {
 public:
  GetArm(const GetEnvironment& environment, ArmSpec spec, ArmLink& link, Executor& executor)
      : environment_(environment), spec_(std::move(spec)), link_(link), executor_(executor) {}

  const ArmSpec& spec() const { return spec_; }

  // Connects before the first get.
  absl::Status Connect();

  // `poison` overwrites the destination, where there is one before the get.
  template <typename Poison>
  absl::Status Prepare(size_t bytes, const Poison& poison) {
    absl::Status status = Prepare(bytes);
    if (status.ok() && !landing_->destination().empty()) poison(landing_->destination());
    return status;
  }

  GetOutcome Get(uint32_t slot);

  // The bytes that the caller of the get has; valid until Finish.
  absl::Span<const uint8_t> destination() const { return landing_->destination(); }

  // Ends the lease; sets release_ns, or the error if it is the first.
  void Release(GetOutcome& outcome);

  void Finish();

 private:
  bool UcxStillWrites() const;
  absl::Status Prepare(size_t bytes);
  ucx::Patience Patience() const;
  absl::Status Transfer(uint32_t slot, PhaseWatch& watch, GetOutcome& outcome);
  absl::Status ConnectIn(PhaseWatch& watch, ucx::Patience& patience);
  absl::Status Acquire(uint32_t slot, ucx::Patience& patience, GetOutcome& outcome);
  void ReadOffer(const ControlChannel::Received& received, GetOutcome& outcome);
  absl::Status Read(PhaseWatch& watch, ucx::Patience& patience);
  absl::Status FallBack(const absl::Status& cause, ucx::Patience& patience);
  absl::Status PullChunks(uint32_t slot, ucx::Patience& patience, GetOutcome& outcome);
  void WaitForStrayChunks();

  const GetEnvironment environment_;
  const ArmSpec spec_;
  ArmLink& link_;
  Executor& executor_;
  size_t bytes_ = 0;
  uint64_t abandoned_before_ = 0;  // requests of this process, at the start of the get
  std::optional<Landing> landing_;
  std::optional<Reply> offer_;  // of the current get; its lease is held
  std::optional<Descriptor> descriptor_;
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_ARMS_GET_ARM_H_
