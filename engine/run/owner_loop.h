// The owner between its meeting with the consumer and the end: one thread that drives the UCX
// worker and looks at the session's connection, never sleeps, and answers whatever comes.
#ifndef RDMALAB_ENGINE_RUN_OWNER_LOOP_H_
#define RDMALAB_ENGINE_RUN_OWNER_LOOP_H_

#include <cstdint>
#include <functional>
#include <optional>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "engine/base/clock.h"
#include "engine/base/deadline.h"
#include "engine/exchange/frame_connection.h"
#include "engine/plan/plan.h"
#include "engine/rendezvous/owner_service.h"
#include "engine/rendezvous/owner_transport.h"
#include "engine/rendezvous/staged_slots.h"
#include "engine/ucx/worker.h"

namespace rdmalab {

class OwnerLoop {
 public:
  // Writes the payload of a slot in a repetition; a test may write another.
  using Fill = std::function<void(uint32_t slot, int rep, absl::Span<uint8_t> payload)>;

  struct Parts {
    const Plan& plan;
    FrameConnection& connection;
    const ucx::Worker& worker;
    OwnerService& service;
    const AmOwner& am;
    Clock clock;
    Fill fill;
  };

  explicit OwnerLoop(const Parts& parts) : parts_(parts) {}

  // Until the consumer says good-bye. Unavailable when it is gone without; Cancelled on a signal.
  absl::Status Run();

 private:
  absl::Status LookAtConnection();
  absl::Status HandleFrame(const FrameConnection::Message& message);
  absl::Status Stage(int block);
  void Prepare(int cell);
  absl::Status LookAround();
  absl::Status WaitForReplies();
  absl::Duration Timeout() const { return absl::Milliseconds(parts_.plan.limits.get_timeout_ms); }

  const Parts parts_;
  bool ended_ = false;
  // Of the coming get: a turn whose number has none of these bits looks at the connection, drives
  // the worker.
  uint64_t connection_mask_ = 0;
  uint64_t worker_mask_ = 0;
  // A consumer that has been stopped keeps its connection: only its silence tells.
  uint64_t frames_ = 0;
  uint64_t heard_before_ = 0;
  std::optional<Deadline> silent_until_;
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_RUN_OWNER_LOOP_H_
