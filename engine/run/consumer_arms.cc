#include "engine/run/consumer_arms.h"

#include "engine/base/deadline.h"
#include "engine/base/status.h"
#include "engine/run/plan_translation.h"

namespace rdmalab {

absl::StatusOr<std::unique_ptr<ConsumerArms>> ConsumerArms::Create(const Parts& parts) {
  std::unique_ptr<ConsumerArms> arms(new ConsumerArms(parts));
  ASSIGN_OR_RETURN(arms->inbox_, AmInbox::Create(parts.ucx.worker()));
  for (const int arm : parts.schedule.arms()) RETURN_IF_ERROR(arms->Add(arm));
  return arms;
}

absl::Status ConsumerArms::Add(int id) {
  const Arm& arm = parts_.plan.arms[static_cast<size_t>(id)];
  auto one = std::make_unique<OneArm>();
  one->link =
      std::make_unique<ArmLink>(parts_.ucx.worker(), *inbox_, tcp_,
                                LinkOptions{.owner_address = parts_.owner_address,
                                            .error_handling = ErrorHandlingOf(parts_.plan.lane),
                                            .control_over_am = arm.via == Via::kAm});
  const GetEnvironment environment{.clock = parts_.clock,
                                   .timeout = absl::Milliseconds(parts_.plan.limits.get_timeout_ms),
                                   .memory = parts_.memory,
                                   .registrar = parts_.ucx.registrar(),
                                   .keeper = keeper_,
                                   .puller = puller_};
  one->get = std::make_unique<GetArm>(environment, ArmSpecOf(arm), *one->link, ExecutorOf(arm));
  if (arm.eager_endpoint) {
    RETURN_IF_ERROR(WithContext(one->get->Connect(), "connecting arm " + arm.name));
  }
  arms_.emplace(id, std::move(one));
  return absl::OkStatus();
}

Executor& ConsumerArms::ExecutorOf(const Arm& arm) {
  if (arm.progress == ProgressMode::kInline) return inline_;
  std::unique_ptr<ThreadExecutor>& thread = threads_[arm.spin_us];
  if (thread == nullptr) {
    thread = std::make_unique<ThreadExecutor>(absl::Microseconds(arm.spin_us), parts_.clock);
  }
  return *thread;
}

absl::Status ConsumerArms::Close() {
  absl::Status first;
  for (auto& [id, one] : arms_) {
    ucx::Patience patience(
        Deadline::After(parts_.clock, absl::Milliseconds(parts_.plan.limits.get_timeout_ms)),
        {.heed_stop_signal = false});
    first.Update(one->link->Close(patience));
  }
  return first;
}

}  // namespace rdmalab
