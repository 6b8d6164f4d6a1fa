#include "engine/run/owner_process.h"

#include <memory>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "engine/base/log.h"
#include "engine/base/status.h"
#include "engine/run/counters_export.h"
#include "engine/run/orchestration.h"
#include "engine/run/ucx_process.h"
#include "engine/verification/payload.h"

namespace rdmalab {

OwnerLoop::Fill PlannedFill(const Plan& plan) {
  return [seed = plan.seed](uint32_t slot, int rep, absl::Span<uint8_t> payload) {
    Payload({.seed = seed, .slot = slot, .rep = static_cast<uint64_t>(rep)}).Fill(payload);
  };
}

absl::Status RunOwner(const Plan& plan, const PairOptions& options, const Clock& clock,
                      const OwnerLoop::Fill& fill, ProcessRecord& record) {
  ASSIGN_OR_RETURN(const std::unique_ptr<UcxProcess> ucx,
                   UcxProcess::Create(plan, options.meeting.listen));
  RETURN_IF_ERROR(record.AddUcx(ucx->context()));
  RETURN_IF_ERROR(record.Write());
  OwnerService service(ucx->pool(), absl::Milliseconds(plan.limits.lease_ms), clock);
  // Before the payloads go: after an error a chunk may still be on its way out of one.
  const auto worker_first = absl::MakeCleanup([&ucx] { ucx->EndWorker(); });
  ASSIGN_OR_RETURN(const std::unique_ptr<AmOwner> am, AmOwner::Create(ucx->worker(), service));
  ASSIGN_OR_RETURN(Meeting meeting, MeetAsOwner(options.meeting,
                                                {.role = "owner",
                                                 .token = options.token,
                                                 .plan_sha256 = plan.sha256,
                                                 .binary_sha256 = record.binary_sha256(),
                                                 .ucx_runtime = record.ucx_runtime(),
                                                 .worker_address = ucx->worker_address()},
                                                clock));
  LogInfo("owner", absl::StrCat("met the consumer after ", meeting.waited_ns / 1'000'000, " ms"));
  OwnerLoop loop({.plan = plan,
                  .connection = meeting.connection,
                  .worker = ucx->worker(),
                  .service = service,
                  .am = *am,
                  .clock = clock,
                  .fill = fill});
  const absl::Status status = loop.Run();
  if (!status.ok()) SendRefusal(meeting.connection, status, clock);
  if (am->failures() > 0) {
    LogWarning("owner", absl::StrCat(am->failures(), " control messages failed, the last: ",
                                     am->last_failure().message()));
  }
  ExportOwner(service.counters(), am->failures(), record.counters());
  const absl::Status written = record.WriteAtEnd();
  return status.ok() ? written : status;
}

}  // namespace rdmalab
