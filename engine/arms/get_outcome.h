// What one get was: its phases, the path it really took and why, and its error if it has one.
#ifndef RDMALAB_ENGINE_ARMS_GET_OUTCOME_H_
#define RDMALAB_ENGINE_ARMS_GET_OUTCOME_H_

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "engine/arms/phase_watch.h"
#include "engine/rendezvous/reasons.h"

namespace rdmalab {

struct GetOutcome {
  int64_t start_ns = 0;
  int64_t start_utc_ns = 0;
  // Nothing: the phase was not reached.
  std::optional<int64_t> wireup_ns;
  std::optional<int64_t> acquire_ns;
  std::optional<int64_t> transfer_ns;
  std::optional<int64_t> copy_ns;
  std::optional<int64_t> release_ns;

  bool rdma = false;  // the path that brought the bytes
  Reason reason = Reason::kOk;
  // The owner's account, from its answer to the acquire.
  std::optional<Refusal> refusal;  // nothing: no answer came
  bool pinned = false;
  StagingReason staging_reason = StagingReason::kOk;

  uint32_t chunks = 0;
  uint64_t bytes = 0;
  std::optional<uint64_t> md_map;  // of the packed key that was offered
  int64_t minor_faults = 0;        // of the thread that did the get, wire-up to copy
  int64_t registrations = 0;       // inside the timed part

  absl::Status error;
  Phase error_phase = Phase::kAcquire;
  // What made an RDMA read fall back to chunks; OK when none did.
  absl::Status fallback_cause;
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_ARMS_GET_OUTCOME_H_
