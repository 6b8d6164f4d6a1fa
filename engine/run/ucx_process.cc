#include "engine/run/ucx_process.h"

#include <utility>

#include "engine/base/status.h"
#include "engine/run/plan_translation.h"
#include "engine/ucx/library.h"

namespace rdmalab {

absl::StatusOr<std::unique_ptr<UcxProcess>> UcxProcess::Create(const Plan& plan) {
  RETURN_IF_ERROR(CheckLaneEnvironment(plan.lane, ucx::UcxEnvironment()));
  ASSIGN_OR_RETURN(ucx::Context context, ucx::Context::Create({}));
  std::unique_ptr<UcxProcess> process(new UcxProcess(std::move(context)));
  ASSIGN_OR_RETURN(
      process->pool_,
      ArenaPool::Create(process->registrar_,
                        {.budget_bytes = static_cast<size_t>(plan.limits.registered_bytes),
                         .first_arena_bytes = static_cast<size_t>(plan.limits.arena_bytes)}));
  ASSIGN_OR_RETURN(ucx::Worker worker, ucx::Worker::Create(process->context_, {}));
  process->worker_ = std::make_unique<ucx::Worker>(std::move(worker));
  ASSIGN_OR_RETURN(process->worker_address_, process->worker_->Address());
  return process;
}

}  // namespace rdmalab
