// Runs one block of the schedule: has it staged, makes each get, checks its bytes, and hands the
// samples with the block line to the file.
#ifndef RDMALAB_ENGINE_RUN_BLOCK_RUNNER_H_
#define RDMALAB_ENGINE_RUN_BLOCK_RUNNER_H_

#include <cstdint>
#include <optional>
#include <set>

#include "absl/status/status.h"
#include "engine/base/clock.h"
#include "engine/plan/plan.h"
#include "engine/results/progress.h"
#include "engine/results/rendezvous_sample.h"
#include "engine/results/sample_buffer.h"
#include "engine/results/samples_file.h"
#include "engine/run/consumer_arms.h"
#include "engine/run/counters_export.h"
#include "engine/run/orchestration.h"
#include "engine/run/plan_translation.h"
#include "engine/run/process_record.h"
#include "engine/sampling/schedule.h"
#include "engine/ucx/context.h"

namespace rdmalab {

class BlockRunner {
 public:
  struct Parts {
    const Plan& plan;
    const Schedule& schedule;
    int pair = 0;  // launched
    bool same_process = false;
    const ucx::Context& context;
    ConsumerArms& arms;
    Orchestration& orchestration;
    SamplesFile& samples;
    ProcessRecord& record;
    ConsumerCounters& counters;
    Progress* progress;  // null: nobody watches
    Clock clock;
  };

  explicit BlockRunner(const Parts& parts)
      : parts_(parts), buffer_(parts.schedule.largest_block()) {}

  // An error ends the run; a get that failed alone is a sample with its error.
  absl::Status Run(const ScheduledBlock& block);

 private:
  absl::Status RunOne(const ScheduledBlock& block, const Repetition& repetition);
  absl::Status TellOwner(int cell, absl::Duration timeout);
  GetOutcome Transfer(GetArm& arm, const ScheduledBlock& block, const Repetition& repetition,
                      bool& verified);
  absl::Status CheckLaneOnce(const Repetition& repetition, const GetOutcome& outcome);
  absl::Status Write(const ScheduledBlock& block, int64_t start_ns);
  void Report(const ScheduledBlock& block, const Repetition& repetition);

  const Parts parts_;
  SampleBuffer<RendezvousSample> buffer_;
  std::set<int> checked_arms_;
  std::optional<OwnerDuty> duty_;  // that the owner was told last
  int64_t stage_wait_ns_ = 0;
  int64_t barrier_wait_ns_ = 0;
  int64_t verified_bytes_ = 0;
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_RUN_BLOCK_RUNNER_H_
