// The role consumer of an operations plan: meets the owner, runs the blocks of its schedule, and
// leaves samples.jsonl.
#ifndef RDMALAB_ENGINE_RUN_OPERATION_CONSUMER_H_
#define RDMALAB_ENGINE_RUN_OPERATION_CONSUMER_H_

#include "absl/status/status.h"
#include "engine/base/clock.h"
#include "engine/plan/plan.h"
#include "engine/results/samples_file.h"
#include "engine/run/consumer_process.h"
#include "engine/run/process_record.h"
#include "engine/sampling/schedule.h"

namespace rdmalab {

// As RunConsumer, for a plan of the operations engine.
absl::Status RunOperationConsumer(const Plan& plan, const Schedule& schedule,
                                  const ConsumerOptions& options, const Clock& clock,
                                  SamplesFile& samples, ProcessRecord& record);

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_RUN_OPERATION_CONSUMER_H_
