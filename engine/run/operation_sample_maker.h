// From a cell's loop to its line in samples.jsonl: what was asked, from the plan; what was
// measured, from the loop; how, from the links of both sides.
#ifndef RDMALAB_ENGINE_RUN_OPERATION_SAMPLE_MAKER_H_
#define RDMALAB_ENGINE_RUN_OPERATION_SAMPLE_MAKER_H_

#include <string>

#include "absl/status/status.h"
#include "engine/operations/backend.h"
#include "engine/operations/measured.h"
#include "engine/plan/plan.h"
#include "engine/results/operation_sample.h"
#include "engine/sampling/schedule.h"

namespace rdmalab {

struct OperationPlace {
  const Plan& plan;
  const ScheduledBlock& block;
  const Repetition& repetition;
  int pair = 0;  // launched
  std::string backend;
};

OperationSample SampleOf(const OperationPlace& place);

// Without `complete` only what was done before the failure is told.
void AddMeasured(const Measured& measured, bool complete, OperationSample& sample);

// Counters and facts of one side, each name after `prefix`; the map of the owner's key is told
// once.
void AddFacts(const LinkFacts& facts, const std::string& prefix, OperationSample& sample);

OperationFailure OperationFailureOf(const std::string& phase, const absl::Status& status);

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_RUN_OPERATION_SAMPLE_MAKER_H_
