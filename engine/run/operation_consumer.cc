#include "engine/run/operation_consumer.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "absl/strings/str_cat.h"
#include "engine/base/deadline.h"
#include "engine/base/log.h"
#include "engine/base/status.h"
#include "engine/results/progress.h"
#include "engine/run/operation_process.h"
#include "engine/run/operation_runner.h"
#include "engine/run/orchestration.h"
#include "engine/ucx/log_file.h"

namespace rdmalab {
namespace {

bool Reads(const Plan& plan, const Schedule& schedule) {
  return std::any_of(schedule.arms().begin(), schedule.arms().end(), [&plan](int arm) {
    return plan.operation_arms[static_cast<size_t>(arm)].op == OperationKind::kRead;
  });
}

absl::Status RunBlocks(const Schedule& schedule, OperationRunner& runner) {
  for (const ScheduledBlock& block : schedule.blocks()) {
    RETURN_IF_ERROR(WithContext(runner.Run(block), absl::StrCat("block ", block.id)));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status RunOperationConsumer(const Plan& plan, const Schedule& schedule,
                                  const ConsumerOptions& options, const Clock& clock,
                                  SamplesFile& samples, ProcessRecord& record) {
  ASSIGN_OR_RETURN(const std::unique_ptr<OperationProcess> process, OperationProcess::Create(plan));
  RETURN_IF_ERROR(process->Describe(record));
  RETURN_IF_ERROR(record.Write());
  // Before the meeting: without the tables the first read would be the last.
  if (process->over_ucx() && Reads(plan, schedule)) RETURN_IF_ERROR(ucx::CheckLogSetup());
  ASSIGN_OR_RETURN(
      Meeting meeting,
      MeetAsConsumer(options.pair.meeting,
                     process->CardFor("consumer", options.pair.token, plan, record), clock));
  LogInfo("consumer", absl::StrCat("met the owner after ", meeting.waited_ns / 1'000'000, " ms"));
  process->Met(plan, meeting.peer);
  std::optional<Progress> progress;
  if (options.progress_fd >= 0) progress.emplace(clock, options.progress_fd);
  OperationRunner runner({.plan = plan,
                          .schedule = schedule,
                          .pair = options.pair_number,
                          .same_process = options.same_process,
                          .process = *process,
                          .connection = meeting.connection,
                          .samples = samples,
                          .record = record,
                          .progress = progress.has_value() ? &*progress : nullptr,
                          .clock = clock});
  const auto timeout = absl::Milliseconds(plan.limits.get_timeout_ms);
  absl::Status status = RunBlocks(schedule, runner);
  if (status.ok()) status = process->backend().Close(Deadline::After(clock, timeout));
  if (status.ok()) {
    status = Orchestration(meeting.connection, clock).Bye(timeout).status();
  } else {
    SendRefusal(meeting.connection, status, clock);
  }
  const absl::Status written = record.WriteAtEnd();
  return status.ok() ? written : status;
}

}  // namespace rdmalab
