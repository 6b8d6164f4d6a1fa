#include "engine/run/owner_loop.h"

#include "absl/strings/str_cat.h"
#include "engine/base/deadline.h"
#include "engine/base/log.h"
#include "engine/base/status.h"
#include "engine/base/stop_signal.h"
#include "engine/rendezvous/wire.h"
#include "engine/run/orchestration.h"
#include "engine/run/plan_translation.h"

namespace rdmalab {
namespace {

// A look at the connection is a system call of some 0.3 us, which must not delay the answer to an
// active message; the next cell or block, and the loss of the consumer, are still seen within 0.1
// ms.
constexpr uint64_t kQuietMask = 255;
// While chunks go over TCP the worker has nothing to do but keep its connections alive.
constexpr uint64_t kIdleMask = 63;
// Leases, signals: looked at this often.
constexpr uint64_t kLookAroundMask = 4095;

// Between two gets the consumer checks bytes and writes its block to disk; it says nothing then.
constexpr absl::Duration kBetweenGets = absl::Seconds(10);

}  // namespace

absl::Status OwnerLoop::Run() {
  for (uint64_t turn = 1; !ended_; ++turn) {
    if ((turn & worker_mask_) == 0) parts_.worker.Progress();
    if ((turn & connection_mask_) == 0) RETURN_IF_ERROR(LookAtConnection());
    if ((turn & kLookAroundMask) == 0) RETURN_IF_ERROR(LookAround());
  }
  return absl::OkStatus();
}

absl::Status OwnerLoop::LookAround() {
  parts_.service.Reap();
  const uint64_t heard = frames_ + parts_.service.counters().requests();
  if (heard != heard_before_ || !silent_until_.has_value()) {
    heard_before_ = heard;
    silent_until_ = Deadline::After(parts_.clock, Timeout() + kBetweenGets);
  } else if (silent_until_->Expired()) {
    return absl::DeadlineExceededError(absl::StrCat(
        "nothing heard from the consumer for ", absl::FormatDuration(Timeout() + kBetweenGets)));
  }
  return StopSignal::Check();
}

absl::Status OwnerLoop::LookAtConnection() {
  ASSIGN_OR_RETURN(const auto message, parts_.connection.PollMessage());
  if (!message.has_value()) return absl::OkStatus();
  ++frames_;
  return HandleFrame(*message);
}

absl::Status OwnerLoop::HandleFrame(const FrameConnection::Message& message) {
  if (message.type == kFrameRequest) {
    const Deadline deadline = Deadline::After(parts_.clock, Timeout());
    return AnswerOverTcp(parts_.service, parts_.connection, message.payload, [&]() {
      parts_.worker.Progress();
      return deadline.Expired() ? absl::DeadlineExceededError("the consumer takes no more chunks")
                                : StopSignal::Check();
    });
  }
  if (message.type == kFrameRefused) {
    return GaveUp("consumer", message.payload);
  }
  ASSIGN_OR_RETURN(const uint32_t number, ReadNumber(message.payload));
  if (message.type == kFrameStage) {
    RETURN_IF_ERROR(Stage(static_cast<int>(number)));
  } else if (message.type == kFrameNext) {
    if (number >= parts_.plan.cells.size()) return absl::DataLossError("a cell that is not there");
    Prepare(static_cast<int>(number));
  } else if (message.type == kFrameBye) {
    parts_.service.Drain();
    RETURN_IF_ERROR(WaitForReplies());
    ended_ = true;
  } else {
    return absl::DataLossError(absl::StrCat("a frame of unknown type ", message.type));
  }
  return SendNumber(parts_.connection, kFrameDone, number,
                    Deadline::After(parts_.clock, Timeout()));
}

absl::Status OwnerLoop::Stage(int block) {
  if (static_cast<size_t>(block) >= parts_.plan.blocks.size()) {
    return absl::DataLossError(absl::StrCat("block ", block, " is not in the plan"));
  }
  RETURN_IF_ERROR(WaitForReplies());
  const int rep = parts_.plan.blocks[static_cast<size_t>(block)].rep;
  return parts_.service.Stage(
      SlotRequestsOf(parts_.plan, block),
      [&](uint32_t slot, absl::Span<uint8_t> payload) { parts_.fill(slot, rep, payload); });
}

// UCX may still read from a slot whose chunk it has not finished sending.
absl::Status OwnerLoop::WaitForReplies() {
  const Deadline deadline = Deadline::After(parts_.clock, Timeout());
  while (parts_.am.in_flight() > 0) {
    parts_.worker.Progress();
    RETURN_IF_ERROR(StopSignal::Check());
    if (deadline.Expired()) {
      return absl::DeadlineExceededError("a reply to the consumer does not leave");
    }
  }
  return absl::OkStatus();
}

void OwnerLoop::Prepare(int cell) {
  const OwnerDuty duty = OwnerDutyOf(parts_.plan.ArmOf(parts_.plan.CellAt(cell)));
  connection_mask_ = duty.control_over_am ? kQuietMask : 0;
  worker_mask_ = duty.ucx_has_work ? 0 : kIdleMask;
}

}  // namespace rdmalab
