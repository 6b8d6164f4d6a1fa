#include "engine/run/roles.h"

#include <filesystem>
#include <numeric>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/base/log.h"
#include "engine/base/status.h"
#include "engine/results/samples_file.h"
#include "engine/run/consumer_process.h"
#include "engine/run/operation_consumer.h"
#include "engine/run/operation_owner.h"
#include "engine/run/owner_process.h"
#include "engine/run/process_record.h"
#include "engine/sampling/block_ids.h"
#include "engine/sampling/schedule.h"

namespace rdmalab {
namespace {

constexpr int kStdout = 1;
// A loopback pair meets in its own folder under a token of its own: nobody else is to find it.
constexpr char kLoopbackToken[] = "10095bac";

absl::StatusOr<Schedule> ScheduleOf(const Options& options, const Plan& plan) {
  std::vector<int> ids(plan.blocks.size());
  std::iota(ids.begin(), ids.end(), 0);
  if (options.blocks != "all") {
    ASSIGN_OR_RETURN(ids, ParseBlockIds(options.blocks, static_cast<int>(plan.blocks.size())));
  }
  return Schedule::Create(plan, ids);
}

PairOptions PairOf(const Options& options, const Plan& plan) {
  const bool loopback = options.role == Role::kLoopback;
  const Exchange exchange = loopback ? Exchange(DirExchange{.path = options.out + "/exchange"})
                                     : options.exchange.value_or(Exchange(DirExchange{}));
  return {.meeting = {.exchange = exchange,
                      .listen = options.listen,
                      .timeout = absl::Milliseconds(plan.limits.exchange_timeout_ms)},
          .token = loopback ? kLoopbackToken : options.token};
}

absl::Status MakeFolder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (!error) return absl::OkStatus();
  return absl::PermissionDeniedError(absl::StrCat("--out=", path, ": ", error.message()));
}

EndLine EndOf(const absl::Status& status) {
  if (status.ok()) return {};
  return {.status = absl::IsCancelled(status) ? EndStatus::kInterrupted : EndStatus::kFailed,
          .exit = ExitCodeOf(status),
          .error = FailureOf("run", status)};
}

// The file's account of its samples joins in: a run with failed samples is a failed run.
absl::Status WriteEnd(SamplesFile& samples, absl::Status status) {
  if (status.ok() && samples.failed() > 0) {
    status = absl::UnknownError(absl::StrCat(samples.failed(), " of ", samples.samples(),
                                             " samples failed; each says why in samples.jsonl"));
  }
  const absl::Status written = samples.WriteEnd(EndOf(status));
  if (!written.ok()) LogError("samples", written.message());
  return status.ok() ? written : status;
}

absl::Status RunOwnerRole(const Options& options, const Plan& plan, const Clock& clock,
                          const OwnerLoop::Fill& fill) {
  ASSIGN_OR_RETURN(ProcessRecord record, ProcessRecord::Create(options, clock));
  if (plan.engine == EngineKind::kOperations) {
    return RunOperationOwner(plan, PairOf(options, plan), clock, record);
  }
  return RunOwner(plan, PairOf(options, plan), clock, fill, record);
}

absl::Status RunConsumerRole(const Options& options, const Plan& plan, const Clock& clock) {
  ASSIGN_OR_RETURN(const Schedule schedule, ScheduleOf(options, plan));
  ASSIGN_OR_RETURN(SamplesFile samples, SamplesFile::Create(options.out + "/samples.jsonl",
                                                            {.plan_sha256 = plan.sha256,
                                                             .pair = options.pair,
                                                             .role = Name(options.role),
                                                             .started_utc_ns = UtcNowNs()},
                                                            clock));
  absl::StatusOr<ProcessRecord> record = ProcessRecord::Create(options, clock);
  absl::Status status = record.status();
  if (status.ok()) {
    const auto run = plan.engine == EngineKind::kOperations ? &RunOperationConsumer : &RunConsumer;
    status = run(plan, schedule,
                 {.pair = PairOf(options, plan),
                  .pair_number = options.pair,
                  .same_process = options.role == Role::kLoopback,
                  .progress_fd = kStdout},
                 clock, samples, *record);
  }
  return WriteEnd(samples, std::move(status));
}

// The owner on a thread of its own, with a UCX of its own: on lane tcp a GET needs both sides to
// go on. Its record stands beside, as owner.json.
absl::Status RunLoopbackRole(const Options& options, const Plan& plan, const Clock& clock,
                             const OwnerLoop::Fill& fill) {
  absl::Status owner;
  std::thread thread([&] {
    Options as_owner = options;
    as_owner.role = Role::kOwner;
    as_owner.exchange = DirExchange{.path = options.out + "/exchange"};
    as_owner.token = kLoopbackToken;
    owner = RunOwnerRole(as_owner, plan, clock, fill);
  });
  const absl::Status consumer = RunConsumerRole(options, plan, clock);
  thread.join();
  return consumer.ok() ? WithContext(owner, "owner") : consumer;
}

}  // namespace

absl::Status RunRole(const Options& options, const Plan& plan, const Clock& clock) {
  return RunRoleWithPayload(options, plan, clock, PlannedFill(plan));
}

absl::Status RunRoleWithPayload(const Options& options, const Plan& plan, const Clock& clock,
                                const OwnerLoop::Fill& fill) {
  RETURN_IF_ERROR(MakeFolder(options.out));
  switch (options.role) {
    case Role::kOwner:
      return RunOwnerRole(options, plan, clock, fill);
    case Role::kConsumer:
      return RunConsumerRole(options, plan, clock);
    case Role::kLoopback:
      return RunLoopbackRole(options, plan, clock, fill);
  }
  return absl::InternalError("a role that does not exist");
}

}  // namespace rdmalab
