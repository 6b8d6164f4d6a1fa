#include "engine/run/operation_runner.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/base/deadline.h"
#include "engine/base/status.h"
#include "engine/base/stop_signal.h"
#include "engine/exchange/meeting.h"
#include "engine/run/operation_owner.h"
#include "engine/run/operation_sample_maker.h"
#include "engine/run/operation_translation.h"
#include "engine/ucx/lane_check.h"
#include "engine/ucx/log_file.h"
#include "engine/ucx/protocol_table.h"

namespace rdmalab {
namespace {

constexpr absl::Duration kSleep = absl::Milliseconds(20);
// An answer comes within microseconds, or after a working set has been filled.
constexpr absl::Duration kSpin = absl::Microseconds(200);
// Filling and checking a working set on an emulated node.
constexpr double kStagingBytesPerSecond = 20e6;

// What ends the run and not only the cell.
bool EndsTheRun(const absl::Status& status) { return absl::IsCancelled(status); }

}  // namespace

absl::Duration OperationRunner::Timeout() const {
  size_t largest = 0;
  for (const auto& [place, bytes] : LargestWorkingSets(parts_.plan)) {
    largest = std::max(largest, bytes);
  }
  return absl::Milliseconds(parts_.plan.limits.get_timeout_ms) +
         absl::Seconds(static_cast<double>(largest) / kStagingBytesPerSecond);
}

absl::Status OperationRunner::Run(const ScheduledBlock& block) {
  const int64_t start_ns = parts_.clock.Now();
  open_wait_ns_ = close_wait_ns_ = verified_bytes_ = 0;
  samples_.clear();
  for (const Repetition& repetition : block.repetitions) {
    RETURN_IF_ERROR(StopSignal::Check());
    RETURN_IF_ERROR(RunOne(block, repetition));
    if (parts_.progress != nullptr) {
      parts_.progress->Report({.done = repetition.order + 1,
                               .of = parts_.schedule.repetitions(),
                               .block = block.id,
                               .cell = repetition.cell});
    }
  }
  return Write(block, start_ns);
}

absl::Status OperationRunner::RunOne(const ScheduledBlock& block, const Repetition& repetition) {
  OperationSample sample = SampleOf({.plan = parts_.plan,
                                     .block = block,
                                     .repetition = repetition,
                                     .pair = parts_.pair,
                                     .backend = std::string(parts_.process.backend().name())});
  std::string phase = "open";
  const absl::Status status = Measure(block, repetition, sample, phase);
  if (EndsTheRun(status)) return status;
  // The peer itself must still be there: a link that is lost with it is no cell that failed.
  RETURN_IF_ERROR(lost_);
  RETURN_IF_ERROR(parts_.connection.LookAlive());
  if (!status.ok()) sample.error = OperationFailureOf(phase, status);
  if (sample.verified) {
    const WorkingSet working_set = WorkingSetOf(parts_.plan, parts_.plan.CellAt(repetition.cell));
    verified_bytes_ += static_cast<int64_t>(working_set.bytes());
  }
  samples_.push_back(std::move(sample));
  return status.ok() ? CheckLaneOnce(repetition) : absl::OkStatus();
}

absl::Status OperationRunner::Measure(const ScheduledBlock& block, const Repetition& repetition,
                                      OperationSample& sample, std::string& phase) {
  const Cell& cell = parts_.plan.CellAt(repetition.cell);
  const CellSpec spec = CellSpecOf(parts_.plan, cell);
  const WorkingSet working_set = WorkingSetOf(parts_.plan, cell);
  const WorkingSet::Identity identity = IdentityOf(parts_.plan, repetition.cell, block.rep);
  ASSIGN_OR_RETURN(OperationMemory* const memory,
                   parts_.process.memory().Get(MemoryPlaceOf(parts_.plan, cell)));
  const bool reads = spec.op == RemoteOperation::kRead;
  RETURN_IF_ERROR(reads ? working_set.Poison(*memory, identity)
                        : working_set.Fill(*memory, identity));
  ASSIGN_OR_RETURN(const std::unique_ptr<OperationLink> link,
                   parts_.process.backend().Open(Side::kConsumer, spec, working_set, *memory));
  const int64_t asked_ns = parts_.clock.Now();
  ASSIGN_OR_RETURN(
      const std::string opened,
      Ask(kFrameOpen,
          ToText(OpenRequest{.cell = repetition.cell, .rep = block.rep, .offer = link->offer()}),
          kFrameOpened));
  open_wait_ns_ += parts_.clock.Now() - asked_ns;
  ASSIGN_OR_RETURN(
      const OpenAnswer answer,
      OpenAnswerFrom({reinterpret_cast<const uint8_t*>(opened.data()), opened.size()}));
  RETURN_IF_ERROR(WithContext(answer.error, "the owner"));

  phase = "connect";
  absl::Status status = link->Connect(answer.offer, Deadline::After(parts_.clock, Timeout()));
  Measured measured;
  if (status.ok()) {
    phase = "measure";
    sample.start_utc_ns = UtcNowNs();
    status = link->Measure({.clock = parts_.clock,
                            .patience = absl::Milliseconds(parts_.plan.limits.get_timeout_ms),
                            .look = [this]() -> absl::Status {
                              RETURN_IF_ERROR(StopSignal::Check());
                              return parts_.connection.LookAlive();
                            }},
                           measured);
    AddMeasured(measured, status.ok(), sample);
  }
  AddFacts(link->Facts(), "", sample);
  const bool lost = EndsTheRun(status) || !parts_.connection.LookAlive().ok();
  const absl::Status closed = lost ? absl::OkStatus() : Close(status.ok(), sample, measured.total);
  // What the peer saw may be the cause: its adapter refuses a message, this side's is told so.
  if (!status.ok()) return closed.ok() ? status : WithNote(status, closed.message());
  phase = "verify";
  RETURN_IF_ERROR(closed);
  if (reads && parts_.plan.verify) {
    RETURN_IF_ERROR(working_set.Verify(*memory, identity, measured.total));
    sample.verified = true;
  }
  return absl::OkStatus();
}

absl::Status OperationRunner::Close(bool measured, OperationSample& sample, uint64_t messages) {
  CloseRequest request;
  if (measured) request.messages = messages;
  const int64_t asked_ns = parts_.clock.Now();
  ASSIGN_OR_RETURN(const std::string closed, Ask(kFrameClose, ToText(request), kFrameClosed));
  close_wait_ns_ += parts_.clock.Now() - asked_ns;
  ASSIGN_OR_RETURN(
      const CloseAnswer answer,
      CloseAnswerFrom({reinterpret_cast<const uint8_t*>(closed.data()), closed.size()}));
  AddFacts(answer.facts, "owner_", sample);
  if (sample.recv_depth.has_value()) {
    sample.counters["received"] = static_cast<int64_t>(answer.received);
  }
  sample.verified = answer.verified;
  return WithContext(answer.error, "the owner");
}

// After an arm's first cell, when UCX has told which protocol it chose for reads: a wrong lane ends
// the run before there is a second sample.
absl::Status OperationRunner::CheckLaneOnce(const Repetition& repetition) {
  const int arm = parts_.plan.CellAt(repetition.cell).arm;
  if (!parts_.process.over_ucx() || !checked_arms_.insert(arm).second) return absl::OkStatus();
  ucx::LaneWanted wanted = OperationLaneWantedOf(parts_.plan, arm, parts_.schedule);
  if (wanted.protocols.empty()) return absl::OkStatus();
  if (parts_.same_process) wanted.scopes.push_back(ucx::Scope::kSelf);
  ASSIGN_OR_RETURN(const std::string log, ucx::ReadOwnLog());
  const ucx::LaneVerdict verdict = ucx::CheckLane(ucx::ParseProtocolTables(log), wanted);
  parts_.record.AddLaneCheck(wanted, verdict);
  return verdict.ToStatus();
}

absl::StatusOr<std::string> OperationRunner::Ask(uint16_t type, const std::string& text,
                                                 uint16_t answer) {
  absl::StatusOr<std::string> answered = AskOnce(type, text, answer);
  // Without the owner there is no next cell.
  if (!answered.ok()) lost_ = answered.status();
  return answered;
}

absl::StatusOr<std::string> OperationRunner::AskOnce(uint16_t type, const std::string& text,
                                                     uint16_t answer) {
  const Deadline deadline = Deadline::After(parts_.clock, Timeout());
  const Deadline spin = Deadline::After(parts_.clock, kSpin);
  RETURN_IF_ERROR(parts_.connection.Send(
      type, {reinterpret_cast<const uint8_t*>(text.data()), text.size()}, {}, deadline));
  while (true) {
    ASSIGN_OR_RETURN(const auto message, parts_.connection.PollMessage());
    if (message.has_value()) {
      if (message->type == answer) {
        return std::string(message->payload.begin(), message->payload.end());
      }
      if (message->type != kFrameRefused) return absl::DataLossError("another frame was due");
      return WithContext(ReadRefusal(message->payload), "the owner gave up");
    }
    parts_.process.backend().Progress();
    RETURN_IF_ERROR(StopSignal::Check());
    if (deadline.Expired()) return absl::DeadlineExceededError("the owner does not answer");
    if (spin.Expired() && !parts_.process.over_ucx()) parts_.connection.WaitReadable(kSleep);
  }
}

absl::Status OperationRunner::Write(const ScheduledBlock& block, int64_t start_ns) {
  std::vector<nlohmann::ordered_json> lines;
  lines.reserve(samples_.size());
  for (const OperationSample& sample : samples_) lines.push_back(ToJson(sample));
  return parts_.samples.WriteBlock(lines, {.block = block.id,
                                           .pair = parts_.pair,
                                           .stage_wait_ns = open_wait_ns_,
                                           .barrier_wait_ns = close_wait_ns_,
                                           .verified_bytes = verified_bytes_,
                                           .wall_ns = parts_.clock.Now() - start_ns,
                                           .utc_ns = UtcNowNs()});
}

}  // namespace rdmalab
