// From the plan's words to those of the rooms that do the work and do not know plans.
#ifndef RDMALAB_ENGINE_RUN_PLAN_TRANSLATION_H_
#define RDMALAB_ENGINE_RUN_PLAN_TRANSLATION_H_

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "engine/arms/arm_spec.h"
#include "engine/plan/plan.h"
#include "engine/rendezvous/staged_slots.h"
#include "engine/sampling/schedule.h"
#include "engine/ucx/endpoint.h"
#include "engine/ucx/lane_check.h"

namespace rdmalab {

ArmSpec ArmSpecOf(const Arm& arm);

// A block's slots: one per cell, by cell id.
std::vector<SlotRequest> SlotRequestsOf(const Plan& plan, int block);

// What an owner must look at while a get of this arm goes on.
struct OwnerDuty {
  bool control_over_am = false;
  bool ucx_has_work = false;  // control messages, or reads that UCX emulates in software

  friend bool operator==(const OwnerDuty&, const OwnerDuty&) = default;
};
OwnerDuty OwnerDutyOf(const Arm& arm);

ucx::ErrorHandling ErrorHandlingOf(const Lane& lane);

// The largest payload of the schedule.
size_t LargestPayload(const Plan& plan, const Schedule& schedule);

// What must be proven of an arm's GETs: protocols, transports, each size that the schedule runs
// (with an overlapped copy, the sizes of its pieces). No protocols: the lane promises nothing.
ucx::LaneWanted LaneWantedOf(const Plan& plan, int arm, const Schedule& schedule);

// FailedPrecondition, naming the variable and both values, when `environment` does not set a
// variable as the lane does: the bytes would go another way than the plan says.
absl::Status CheckLaneEnvironment(const Lane& lane,
                                  const std::map<std::string, std::string>& environment);

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_RUN_PLAN_TRANSLATION_H_
