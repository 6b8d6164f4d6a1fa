// The role owner: meets the consumer, stages and serves until the consumer says good-bye.
#ifndef RDMALAB_ENGINE_RUN_OWNER_PROCESS_H_
#define RDMALAB_ENGINE_RUN_OWNER_PROCESS_H_

#include "absl/status/status.h"
#include "engine/base/clock.h"
#include "engine/exchange/meeting.h"
#include "engine/plan/plan.h"
#include "engine/run/owner_loop.h"
#include "engine/run/process_record.h"

namespace rdmalab {

struct PairOptions {
  MeetingOptions meeting;
  std::string token;
};

// The payload that the plan asks for.
OwnerLoop::Fill PlannedFill(const Plan& plan);

// `record` has been created; it is completed and written here, at the end also after an error.
absl::Status RunOwner(const Plan& plan, const PairOptions& options, const Clock& clock,
                      const OwnerLoop::Fill& fill, ProcessRecord& record);

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_RUN_OWNER_PROCESS_H_
