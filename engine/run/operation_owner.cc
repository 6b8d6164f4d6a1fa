#include "engine/run/operation_owner.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/base/deadline.h"
#include "engine/base/log.h"
#include "engine/base/status.h"
#include "engine/base/stop_signal.h"
#include "engine/run/operation_translation.h"
#include "engine/run/orchestration.h"

namespace rdmalab {
namespace {

// A look at the connection is a system call of some 0.3 us: not in each turn while messages come.
constexpr uint64_t kTurnsPerLook = 256;
constexpr absl::Duration kSleep = absl::Milliseconds(20);
// For an event that is on its way through this host's kernel.
constexpr absl::Duration kLastLook = absl::Milliseconds(500);

}  // namespace

absl::Status OperationOwner::Run() {
  for (uint64_t turn = 1; !ended_; ++turn) {
    RETURN_IF_ERROR(Serve());
    if (turn % kTurnsPerLook == 0 || open_ == nullptr || open_->link->sleeps()) {
      RETURN_IF_ERROR(LookAtConnection());
      RETURN_IF_ERROR(StopSignal::Check());
    }
  }
  return absl::OkStatus();
}

absl::Status OperationOwner::Serve() {
  if (open_ == nullptr || !open_->failure.ok()) {
    parts_.process.backend().Progress();
    return absl::OkStatus();
  }
  if (open_->link->sleeps()) parts_.connection.WaitReadable(kSleep);
  // What fails here is this cell's: the consumer is told when it asks.
  open_->failure = open_->link->Serve().status();
  return absl::OkStatus();
}

absl::Status OperationOwner::LookAtConnection() {
  ASSIGN_OR_RETURN(const auto message, parts_.connection.PollMessage());
  return message.has_value() ? HandleFrame(*message) : absl::OkStatus();
}

absl::Status OperationOwner::HandleFrame(const FrameConnection::Message& message) {
  switch (message.type) {
    case kFrameOpen:
      return OnOpen(message.payload);
    case kFrameClose:
      return OnClose(message.payload);
    case kFrameBye: {
      ended_ = true;
      ASSIGN_OR_RETURN(const uint32_t number, ReadNumber(message.payload));
      const auto timeout = absl::Milliseconds(parts_.plan.limits.get_timeout_ms);
      return SendNumber(parts_.connection, kFrameDone, number,
                        Deadline::After(parts_.clock, timeout));
    }
    case kFrameRefused:
      return WithContext(ReadRefusal(message.payload), "the consumer gave up");
    default:
      return absl::DataLossError(absl::StrCat("a frame of unknown type ", message.type));
  }
}

absl::Status OperationOwner::OnOpen(absl::Span<const uint8_t> frame) {
  ASSIGN_OR_RETURN(const OpenRequest request, OpenRequestFrom(frame));
  open_.reset();
  const absl::StatusOr<std::string> offer = Prepare(request);
  if (!offer.ok()) open_.reset();
  return Answer(kFrameOpened,
                ToText(OpenAnswer{.offer = offer.ok() ? *offer : "", .error = offer.status()}));
}

absl::StatusOr<std::string> OperationOwner::Prepare(const OpenRequest& request) {
  if (static_cast<size_t>(request.cell) >= parts_.plan.cells.size()) {
    return absl::DataLossError("a cell that is not there");
  }
  const Cell& cell = parts_.plan.CellAt(request.cell);
  ASSIGN_OR_RETURN(OperationMemory* const memory,
                   parts_.process.memory().Get(MemoryPlaceOf(parts_.plan, cell)));
  open_ =
      std::unique_ptr<Open>(new Open{.memory = *memory,
                                     .working_set = WorkingSetOf(parts_.plan, cell),
                                     .identity = IdentityOf(parts_.plan, request.cell, request.rep),
                                     .spec = CellSpecOf(parts_.plan, cell),
                                     .link = nullptr,
                                     .failure = absl::OkStatus()});
  const bool source = open_->spec.op == RemoteOperation::kRead;
  RETURN_IF_ERROR(source ? open_->working_set.Fill(*memory, open_->identity)
                         : open_->working_set.Poison(*memory, open_->identity));
  ASSIGN_OR_RETURN(open_->link, parts_.process.backend().Open(Side::kOwner, open_->spec,
                                                              open_->working_set, *memory));
  const auto timeout = absl::Milliseconds(parts_.plan.limits.get_timeout_ms);
  RETURN_IF_ERROR(open_->link->Connect(request.offer, Deadline::After(parts_.clock, timeout)));
  return open_->link->offer();
}

absl::Status OperationOwner::OnClose(absl::Span<const uint8_t> frame) {
  ASSIGN_OR_RETURN(const CloseRequest request, CloseRequestFrom(frame));
  if (open_ == nullptr) return absl::DataLossError("a cell is closed that is not open");
  if (!request.messages.has_value()) RETURN_IF_ERROR(LastLook());
  const CloseAnswer answer = Judge(request);
  open_.reset();
  return Answer(kFrameClosed, ToText(answer));
}

// A consumer whose cell has failed may have heard of it before this side, whose device was the
// cause, has seen its own event.
absl::Status OperationOwner::LastLook() {
  const Deadline deadline = Deadline::After(parts_.clock, kLastLook);
  while (open_->failure.ok() && !deadline.Expired()) {
    RETURN_IF_ERROR(Serve());
    RETURN_IF_ERROR(StopSignal::Check());
  }
  return absl::OkStatus();
}

CloseAnswer OperationOwner::Judge(const CloseRequest& request) {
  CloseAnswer answer;
  answer.received = open_->link->received();
  answer.error = open_->failure;
  answer.facts = open_->link->Facts();
  if (!answer.error.ok() || !request.messages.has_value()) return answer;
  if (open_->spec.op == RemoteOperation::kSend && answer.received < *request.messages) {
    answer.error = absl::DataLossError(
        absl::StrCat("received ", answer.received, " of ", *request.messages, " messages"));
    return answer;
  }
  if (parts_.plan.verify && open_->spec.op != RemoteOperation::kRead) {
    answer.error = open_->working_set.Verify(open_->memory, open_->identity, *request.messages);
    answer.verified = answer.error.ok();
  }
  return answer;
}

absl::Status OperationOwner::Answer(uint16_t type, const std::string& text) {
  const auto timeout = absl::Milliseconds(parts_.plan.limits.get_timeout_ms);
  return parts_.connection.Send(type, {reinterpret_cast<const uint8_t*>(text.data()), text.size()},
                                {}, Deadline::After(parts_.clock, timeout));
}

absl::Status RunOperationOwner(const Plan& plan, const PairOptions& options, const Clock& clock,
                               ProcessRecord& record) {
  ASSIGN_OR_RETURN(const std::unique_ptr<OperationProcess> process, OperationProcess::Create(plan));
  RETURN_IF_ERROR(process->Describe(record));
  RETURN_IF_ERROR(record.Write());
  ASSIGN_OR_RETURN(
      Meeting meeting,
      MeetAsOwner(options.meeting, process->CardFor("owner", options.token, plan, record), clock));
  LogInfo("owner", absl::StrCat("met the consumer after ", meeting.waited_ns / 1'000'000, " ms"));
  process->Met(plan, meeting.peer);
  OperationOwner owner(
      {.plan = plan, .connection = meeting.connection, .process = *process, .clock = clock});
  const absl::Status status = owner.Run();
  if (!status.ok()) SendRefusal(meeting.connection, status, clock);
  const absl::Status written = record.WriteAtEnd();
  return status.ok() ? written : status;
}

}  // namespace rdmalab
