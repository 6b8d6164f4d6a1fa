// The role consumer: meets the owner, runs the blocks of its schedule, and leaves samples.jsonl.
#ifndef RDMALAB_ENGINE_RUN_CONSUMER_PROCESS_H_
#define RDMALAB_ENGINE_RUN_CONSUMER_PROCESS_H_

#include "absl/status/status.h"
#include "engine/base/clock.h"
#include "engine/plan/plan.h"
#include "engine/results/samples_file.h"
#include "engine/run/owner_process.h"
#include "engine/run/process_record.h"
#include "engine/sampling/schedule.h"

namespace rdmalab {

struct ConsumerOptions {
  PairOptions pair;
  int pair_number = 0;        // of the launched pair
  bool same_process = false;  // loopback: the peer's worker is in this process
  int progress_fd = 1;        // where progress lines go; negative: nowhere
};

// OK when every block was run; samples that failed stand in the file, which counts them. The end
// line is the caller's.
absl::Status RunConsumer(const Plan& plan, const Schedule& schedule, const ConsumerOptions& options,
                         const Clock& clock, SamplesFile& samples, ProcessRecord& record);

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_RUN_CONSUMER_PROCESS_H_
