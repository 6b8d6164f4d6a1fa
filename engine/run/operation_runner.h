// The consumer's part of an operations plan: runs one block of the schedule cell by cell, has the
// bytes checked, and hands the samples with the block line to the file.
#ifndef RDMALAB_ENGINE_RUN_OPERATION_RUNNER_H_
#define RDMALAB_ENGINE_RUN_OPERATION_RUNNER_H_

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "engine/base/clock.h"
#include "engine/exchange/frame_connection.h"
#include "engine/operations/cell_protocol.h"
#include "engine/plan/plan.h"
#include "engine/results/operation_sample.h"
#include "engine/results/progress.h"
#include "engine/results/samples_file.h"
#include "engine/run/operation_process.h"
#include "engine/run/process_record.h"
#include "engine/sampling/schedule.h"

namespace rdmalab {

class OperationRunner {
 public:
  struct Parts {
    const Plan& plan;
    const Schedule& schedule;
    int pair = 0;  // launched
    bool same_process = false;
    OperationProcess& process;
    FrameConnection& connection;
    SamplesFile& samples;
    ProcessRecord& record;
    Progress* progress;  // null: nobody watches
    Clock clock;
  };

  explicit OperationRunner(const Parts& parts) : parts_(parts) {}

  // An error ends the run; a cell that failed alone is a sample with its error, and the next one
  // has a fresh connection.
  absl::Status Run(const ScheduledBlock& block);

 private:
  absl::Status RunOne(const ScheduledBlock& block, const Repetition& repetition);
  // The phases of one cell; an error with the phase in `phase`.
  absl::Status Measure(const ScheduledBlock& block, const Repetition& repetition,
                       OperationSample& sample, std::string& phase);
  absl::Status Close(bool measured, OperationSample& sample, uint64_t messages);
  absl::Status CheckLaneOnce(const Repetition& repetition);
  absl::StatusOr<std::string> Ask(uint16_t type, const std::string& text, uint16_t answer);
  absl::StatusOr<std::string> AskOnce(uint16_t type, const std::string& text, uint16_t answer);
  absl::Status Write(const ScheduledBlock& block, int64_t start_ns);
  absl::Duration Timeout() const;

  const Parts parts_;
  std::vector<OperationSample> samples_;
  std::set<int> checked_arms_;
  absl::Status lost_;  // the owner, or the way to it
  int64_t open_wait_ns_ = 0;
  int64_t close_wait_ns_ = 0;
  int64_t verified_bytes_ = 0;
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_RUN_OPERATION_RUNNER_H_
