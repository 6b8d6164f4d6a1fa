#include "engine/run/ucx_process.h"

#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_split.h"
#include "engine/base/status.h"
#include "engine/run/plan_translation.h"
#include "engine/ucx/library.h"

namespace rdmalab {
namespace {

// A lane that names rdmacm among its transports is wired up by it.
bool ConnectsThroughManager(const Lane& lane) {
  const auto transports = lane.env.find("UCX_TLS");
  if (transports == lane.env.end()) return false;
  const std::vector<std::string> names = absl::StrSplit(transports->second, ',');
  return absl::c_linear_search(names, "rdmacm");
}

// An arm with a progress thread drives the worker by it, and what connects and closes by this one.
ucx::Threads ThreadsOf(const Plan& plan) {
  const bool several = absl::c_any_of(
      plan.arms, [](const Arm& arm) { return arm.progress == ProgressMode::kThread; });
  return several ? ucx::Threads::kSerialized : ucx::Threads::kSingle;
}

}  // namespace

absl::StatusOr<std::unique_ptr<UcxProcess>> UcxProcess::Create(const Plan& plan,
                                                               const std::string& listen) {
  RETURN_IF_ERROR(CheckLaneEnvironment(plan.lane, ucx::UcxEnvironment()));
  ASSIGN_OR_RETURN(ucx::Context context, ucx::Context::Create({}));
  std::unique_ptr<UcxProcess> process(new UcxProcess(std::move(context)));
  ASSIGN_OR_RETURN(
      process->pool_,
      ArenaPool::Create(process->registrar_,
                        {.budget_bytes = static_cast<size_t>(plan.limits.registered_bytes),
                         .first_arena_bytes = static_cast<size_t>(plan.limits.arena_bytes)}));
  ASSIGN_OR_RETURN(ucx::Worker worker,
                   ucx::Worker::Create(process->context_, {.threads = ThreadsOf(plan)}));
  process->worker_ = std::make_unique<ucx::Worker>(std::move(worker));
  if (ConnectsThroughManager(plan.lane) && !listen.empty()) {
    ASSIGN_OR_RETURN(ucx::Listener listener,
                     ucx::Listener::Create(*process->worker_, listen,
                                           {.error_handling = ErrorHandlingOf(plan.lane)}));
    process->listener_ = std::make_unique<ucx::Listener>(std::move(listener));
    process->worker_address_ = process->listener_->address();
    return process;
  }
  ASSIGN_OR_RETURN(process->worker_address_, process->worker_->Address());
  return process;
}

}  // namespace rdmalab
