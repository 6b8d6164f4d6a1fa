#include "engine/run/block_runner.h"

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/base/log.h"
#include "engine/base/status.h"
#include "engine/base/stop_signal.h"
#include "engine/run/plan_translation.h"
#include "engine/run/sample_maker.h"
#include "engine/ucx/lane_check.h"
#include "engine/ucx/log_file.h"
#include "engine/ucx/protocol_table.h"
#include "engine/verification/payload.h"

namespace rdmalab {
namespace {

// Staging fills every slot of a block: at 1 GB/s, the slowest memory seen, plus pages and
// registration.
constexpr double kStagingBytesPerSecond = 200e6;

// What ends the run and not only the get: the owner is gone or silent, somebody wants us to stop.
bool EndsTheRun(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status) ||
         absl::IsCancelled(status);
}

}  // namespace

absl::Status BlockRunner::Run(const ScheduledBlock& block) {
  const int64_t start_ns = parts_.clock.Now();
  stage_wait_ns_ = barrier_wait_ns_ = verified_bytes_ = 0;
  buffer_.Clear();
  int64_t bytes = 0;
  for (const Repetition& repetition : block.repetitions) {
    bytes += parts_.plan.CellAt(repetition.cell).size_bytes;
  }
  const absl::Duration timeout = absl::Milliseconds(parts_.plan.limits.get_timeout_ms) +
                                 absl::Seconds(static_cast<double>(bytes) / kStagingBytesPerSecond);
  ASSIGN_OR_RETURN(stage_wait_ns_, parts_.orchestration.Stage(block.id, timeout));
  for (const Repetition& repetition : block.repetitions) {
    RETURN_IF_ERROR(StopSignal::Check());
    RETURN_IF_ERROR(RunOne(block, repetition));
    Report(block, repetition);
  }
  return Write(block, start_ns);
}

absl::Status BlockRunner::RunOne(const ScheduledBlock& block, const Repetition& repetition) {
  const Cell& cell = parts_.plan.CellAt(repetition.cell);
  const absl::Duration timeout = absl::Milliseconds(parts_.plan.limits.get_timeout_ms);
  RETURN_IF_ERROR(TellOwner(repetition.cell, timeout));
  bool verified = false;
  const GetOutcome outcome = Transfer(parts_.arms.Of(cell), block, repetition, verified);
  parts_.counters.Count(parts_.plan.ArmOf(cell).name, outcome);
  if (!outcome.fallback_cause.ok()) {
    LogWarning("consumer", absl::StrCat("fell back to chunks: ", outcome.fallback_cause.message()));
  }
  RendezvousSample& sample = buffer_.Next();
  FillSample({.plan = parts_.plan, .block = block, .repetition = repetition, .pair = parts_.pair},
             outcome, parts_.context, sample);
  sample.verified = verified;
  if (verified) verified_bytes_ += cell.size_bytes;
  if (EndsTheRun(outcome.error)) {
    // Its sample goes with the unfinished block; the end line tells the story.
    const std::string where = absl::StrCat(parts_.plan.ArmOf(cell).name, " ", cell.size_bytes,
                                           " B, ", Name(outcome.error_phase));
    if (!absl::IsDeadlineExceeded(outcome.error)) return WithContext(outcome.error, where);
    return absl::DeadlineExceededError(
        absl::StrCat(where, ": the owner did not answer within ", absl::FormatDuration(timeout)));
  }
  return CheckLaneOnce(repetition, outcome);
}

// Only when the owner has to look elsewhere than for the get before: a word between two gets goes
// through the kernel and leaves the caches of both sides colder than the gets would.
absl::Status BlockRunner::TellOwner(int cell, absl::Duration timeout) {
  const OwnerDuty duty = OwnerDutyOf(parts_.plan.ArmOf(parts_.plan.CellAt(cell)));
  if (duty_ == duty) return absl::OkStatus();
  ASSIGN_OR_RETURN(const int64_t waited_ns, parts_.orchestration.Next(cell, timeout));
  barrier_wait_ns_ += waited_ns;
  duty_ = duty;
  return absl::OkStatus();
}

GetOutcome BlockRunner::Transfer(GetArm& arm, const ScheduledBlock& block,
                                 const Repetition& repetition, bool& verified) {
  const Payload payload({.seed = parts_.plan.seed,
                         .slot = static_cast<uint64_t>(repetition.cell),
                         .rep = static_cast<uint64_t>(block.rep)});
  const auto bytes = static_cast<size_t>(parts_.plan.CellAt(repetition.cell).size_bytes);
  const absl::Status prepared = arm.Prepare(bytes, [&](absl::Span<uint8_t> memory) {
    if (parts_.plan.verify) payload.Poison(memory);
  });
  if (!prepared.ok()) {
    GetOutcome outcome;
    outcome.error = prepared;
    return outcome;
  }
  GetOutcome outcome = arm.Get(static_cast<uint32_t>(repetition.cell));
  arm.Release(outcome);
  if (outcome.error.ok() && parts_.plan.verify) {
    outcome.error = payload.Verify(arm.destination());
    outcome.error_phase = Phase::kVerify;
    verified = outcome.error.ok();
  }
  arm.Finish();
  return outcome;
}

// After an arm's first RDMA read, when UCX has told which protocol it chose: a wrong lane ends the
// run before there is a second sample.
absl::Status BlockRunner::CheckLaneOnce(const Repetition& repetition, const GetOutcome& outcome) {
  const int arm = parts_.plan.CellAt(repetition.cell).arm;
  if (!outcome.rdma || !checked_arms_.insert(arm).second) return absl::OkStatus();
  ucx::LaneWanted wanted = LaneWantedOf(parts_.plan, arm, parts_.schedule);
  if (wanted.protocols.empty()) return absl::OkStatus();
  if (parts_.same_process) wanted.scopes.push_back(ucx::Scope::kSelf);
  ASSIGN_OR_RETURN(const std::string log, ucx::ReadOwnLog());
  const ucx::LaneVerdict verdict = ucx::CheckLane(ucx::ParseProtocolTables(log), wanted);
  parts_.record.AddLaneCheck(wanted, verdict);
  return verdict.ToStatus();
}

absl::Status BlockRunner::Write(const ScheduledBlock& block, int64_t start_ns) {
  std::vector<nlohmann::ordered_json> lines;
  lines.reserve(buffer_.samples().size());
  for (const RendezvousSample& sample : buffer_.samples()) lines.push_back(ToJson(sample));
  return parts_.samples.WriteBlock(lines, {.block = block.id,
                                           .pair = parts_.pair,
                                           .stage_wait_ns = stage_wait_ns_,
                                           .barrier_wait_ns = barrier_wait_ns_,
                                           .verified_bytes = verified_bytes_,
                                           .wall_ns = parts_.clock.Now() - start_ns,
                                           .utc_ns = UtcNowNs()});
}

void BlockRunner::Report(const ScheduledBlock& block, const Repetition& repetition) {
  if (parts_.progress == nullptr) return;
  parts_.progress->Report({.done = repetition.order + 1,
                           .of = parts_.schedule.repetitions(),
                           .block = block.id,
                           .cell = repetition.cell});
}

}  // namespace rdmalab
