// From a get's outcome to its line in samples.jsonl: what was asked, from the plan; what it really
// was, from the outcome.
#ifndef RDMALAB_ENGINE_RUN_SAMPLE_MAKER_H_
#define RDMALAB_ENGINE_RUN_SAMPLE_MAKER_H_

#include "engine/arms/get_outcome.h"
#include "engine/plan/plan.h"
#include "engine/results/rendezvous_sample.h"
#include "engine/sampling/schedule.h"
#include "engine/ucx/context.h"

namespace rdmalab {

// What a sample's context is.
struct SamplePlace {
  const Plan& plan;
  const ScheduledBlock& block;
  const Repetition& repetition;
  int pair = 0;  // launched
};

// Fills `sample`; its text fields point into the plan and at names.
void FillSample(const SamplePlace& place, const GetOutcome& outcome, const ucx::Context& context,
                RendezvousSample& sample);

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_RUN_SAMPLE_MAKER_H_
