// Which repetition comes when in one pair: the plan's blocks that were asked for, flattened, with
// what each repetition is (a warm-up, an arm's first transfer). Pure: no clock, no transfer.
// engine/run walks it.
//
//   ASSIGN_OR_RETURN(const Schedule schedule, Schedule::Create(plan, ids));
//   for (const ScheduledBlock& block : schedule.blocks()) {
//     ... stage the block's slots ...
//     for (const Repetition& repetition : block.repetitions) ... transfer, fill a sample ...
//     ... write the block ...
//   }
#ifndef RDMALAB_ENGINE_SAMPLING_SCHEDULE_H_
#define RDMALAB_ENGINE_SAMPLING_SCHEDULE_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/plan/plan.h"

namespace rdmalab {

struct Repetition {
  int cell = 0;         // id
  int64_t order = 0;    // index over the process
  bool warmup = false;  // the cell's first transfer in this process, or the plan says so
  bool first = false;   // the arm's first transfer in this process
};

struct ScheduledBlock {
  int id = 0;
  int rep = 0;
  std::vector<Repetition> repetitions;  // in the order to run
};

class Schedule {
 public:
  // `block_ids` rise and are ids of `plan`. InvalidArgument if they are of more than one planned
  // pair: processes are a factor, and one pair of them must not stand for two.
  static absl::StatusOr<Schedule> Create(const Plan& plan, const std::vector<int>& block_ids);

  const std::vector<ScheduledBlock>& blocks() const { return blocks_; }
  int planned_pair() const { return planned_pair_; }
  int64_t repetitions() const { return repetitions_; }
  // Repetitions of the largest block: what a sample buffer needs.
  size_t largest_block() const { return largest_block_; }
  // Ids of the arms that are used, in the order of their first transfer.
  const std::vector<int>& arms() const { return arms_; }

 private:
  Schedule() = default;

  std::vector<ScheduledBlock> blocks_;
  std::vector<int> arms_;
  int planned_pair_ = 0;
  int64_t repetitions_ = 0;
  size_t largest_block_ = 0;
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_SAMPLING_SCHEDULE_H_
