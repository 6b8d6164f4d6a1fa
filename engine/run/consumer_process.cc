#include "engine/run/consumer_process.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "engine/arms/landing.h"
#include "engine/base/log.h"
#include "engine/base/status.h"
#include "engine/results/progress.h"
#include "engine/run/block_runner.h"
#include "engine/run/consumer_arms.h"
#include "engine/run/counters_export.h"
#include "engine/run/orchestration.h"
#include "engine/run/plan_translation.h"
#include "engine/run/ucx_process.h"
#include "engine/ucx/log_file.h"

namespace rdmalab {
namespace {

bool ReadsByRdma(const Plan& plan, const Schedule& schedule) {
  return std::any_of(schedule.arms().begin(), schedule.arms().end(), [&plan](int arm) {
    return plan.arms[static_cast<size_t>(arm)].path == TransferPath::kRdma;
  });
}

absl::Status RunBlocks(const Schedule& schedule, BlockRunner& runner) {
  for (const ScheduledBlock& block : schedule.blocks()) {
    RETURN_IF_ERROR(WithContext(runner.Run(block), absl::StrCat("block ", block.id)));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status RunConsumer(const Plan& plan, const Schedule& schedule, const ConsumerOptions& options,
                         const Clock& clock, SamplesFile& samples, ProcessRecord& record) {
  ASSIGN_OR_RETURN(const std::unique_ptr<UcxProcess> ucx, UcxProcess::Create(plan, ""));
  RETURN_IF_ERROR(record.AddUcx(ucx->context()));
  RETURN_IF_ERROR(record.Write());
  ASSIGN_OR_RETURN(
      const std::unique_ptr<ConsumerMemory> memory,
      ConsumerMemory::Create(ucx->registrar(), ucx->pool(), LargestPayload(plan, schedule)));
  // Before the memory goes: after an error a get may still be on its way into it.
  const auto worker_first = absl::MakeCleanup([&ucx] { ucx->EndWorker(); });
  // Before the meeting: without the tables the first GET would be the last.
  if (ReadsByRdma(plan, schedule)) RETURN_IF_ERROR(ucx::CheckLogSetup());
  ASSIGN_OR_RETURN(Meeting meeting, MeetAsConsumer(options.pair.meeting,
                                                   {.role = "consumer",
                                                    .token = options.pair.token,
                                                    .plan_sha256 = plan.sha256,
                                                    .binary_sha256 = record.binary_sha256(),
                                                    .ucx_runtime = record.ucx_runtime(),
                                                    .worker_address = ucx->worker_address()},
                                                   clock));
  LogInfo("consumer", absl::StrCat("met the owner after ", meeting.waited_ns / 1'000'000, " ms"));
  Orchestration orchestration(meeting.connection, clock);
  ConsumerCounters counters(record.counters());
  std::optional<Progress> progress;
  if (options.progress_fd >= 0) progress.emplace(clock, options.progress_fd);
  absl::StatusOr<std::unique_ptr<ConsumerArms>> arms =
      ConsumerArms::Create({.plan = plan,
                            .schedule = schedule,
                            .ucx = *ucx,
                            .memory = *memory,
                            .connection = meeting.connection,
                            .owner_address = meeting.peer.worker_address,
                            .clock = clock});
  absl::Status status = arms.status();
  if (status.ok()) {
    BlockRunner runner({.plan = plan,
                        .schedule = schedule,
                        .pair = options.pair_number,
                        .same_process = options.same_process,
                        .context = ucx->context(),
                        .arms = **arms,
                        .orchestration = orchestration,
                        .samples = samples,
                        .record = record,
                        .counters = counters,
                        .progress = progress.has_value() ? &*progress : nullptr,
                        .clock = clock});
    status = RunBlocks(schedule, runner);
    counters.Renewed((*arms)->renewals());
  }
  if (status.ok()) status = (*arms)->Close();
  if (status.ok()) {
    status = orchestration.Bye(absl::Milliseconds(plan.limits.get_timeout_ms)).status();
  } else {
    SendRefusal(meeting.connection, status, clock);
  }
  const absl::Status written = record.WriteAtEnd();
  return status.ok() ? written : status;
}

}  // namespace rdmalab
