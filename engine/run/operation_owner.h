// The role owner of an operations plan: makes ready for each cell, serves or sleeps while the
// consumer measures, checks what was left in its memory, until the consumer says good-bye.
#ifndef RDMALAB_ENGINE_RUN_OPERATION_OWNER_H_
#define RDMALAB_ENGINE_RUN_OPERATION_OWNER_H_

#include <memory>

#include "absl/status/status.h"
#include "engine/base/clock.h"
#include "engine/exchange/frame_connection.h"
#include "engine/operations/backend.h"
#include "engine/operations/cell_protocol.h"
#include "engine/plan/plan.h"
#include "engine/rendezvous/wire.h"
#include "engine/run/operation_process.h"
#include "engine/run/owner_process.h"
#include "engine/run/process_record.h"

namespace rdmalab {

inline constexpr uint16_t kFrameOpen = kFirstOrchestrationFrame + 32;
inline constexpr uint16_t kFrameOpened = kFirstOrchestrationFrame + 33;
inline constexpr uint16_t kFrameClose = kFirstOrchestrationFrame + 34;
inline constexpr uint16_t kFrameClosed = kFirstOrchestrationFrame + 35;

class OperationOwner {
 public:
  struct Parts {
    const Plan& plan;
    FrameConnection& connection;
    OperationProcess& process;
    Clock clock;
  };

  explicit OperationOwner(const Parts& parts) : parts_(parts) {}

  // Until the consumer says good-bye. Unavailable when it is gone without; Cancelled on a signal.
  absl::Status Run();

 private:
  // The cell that is open.
  struct Open {
    OperationMemory& memory;
    WorkingSet working_set;
    WorkingSet::Identity identity;
    CellSpec spec;
    std::unique_ptr<OperationLink> link;
    absl::Status failure;  // of serving
  };

  absl::Status LookAtConnection();
  absl::Status HandleFrame(const FrameConnection::Message& message);
  absl::Status OnOpen(absl::Span<const uint8_t> frame);
  absl::Status OnClose(absl::Span<const uint8_t> frame);
  absl::StatusOr<std::string> Prepare(const OpenRequest& request);
  absl::Status Serve();
  absl::Status Answer(uint16_t type, const std::string& text);
  absl::Status LastLook();
  CloseAnswer Judge(const CloseRequest& request);

  const Parts parts_;
  std::unique_ptr<Open> open_;
  bool ended_ = false;
};

absl::Status RunOperationOwner(const Plan& plan, const PairOptions& options, const Clock& clock,
                               ProcessRecord& record);

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_RUN_OPERATION_OWNER_H_
