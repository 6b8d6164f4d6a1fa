#include "engine/sampling/schedule.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace rdmalab {

// A cold block's only transfer is what it measures, wire-up included, so being the first in its
// process does not make it a warm-up there; nor does it for the operations engine, which runs each
// cell for a while before it measures it.
absl::StatusOr<Schedule> Schedule::Create(const Plan& plan, const std::vector<int>& block_ids) {
  if (block_ids.empty()) return absl::InvalidArgumentError("no blocks to run");
  Schedule schedule;
  schedule.planned_pair_ = plan.blocks[static_cast<size_t>(block_ids.front())].pair;
  std::vector<bool> cell_seen(plan.cells.size());
  std::vector<bool> arm_seen(plan.arm_count());

  for (const int id : block_ids) {
    const Block& block = plan.blocks[static_cast<size_t>(id)];
    if (block.pair != schedule.planned_pair_) {
      return absl::InvalidArgumentError(
          absl::StrCat("blocks ", block_ids.front(), " and ", id, " are of planned pairs ",
                       schedule.planned_pair_, " and ", block.pair, ": one pair runs one of them"));
    }
    if (block.peer.has_value()) {
      return absl::InvalidArgumentError(
          absl::StrCat("block ", id, " is measured by ", *block.peer, ", not by the engine"));
    }
    ScheduledBlock scheduled = {.id = id, .rep = block.rep, .repetitions = {}};
    for (const int cell : block.cells) {
      const int arm = plan.CellAt(cell).arm;
      const bool cell_first = !cell_seen[static_cast<size_t>(cell)];
      const bool arm_first = !arm_seen[static_cast<size_t>(arm)];
      const bool first_is_warmup =
          plan.pair == PairKind::kWarm && plan.engine == EngineKind::kRendezvous;
      scheduled.repetitions.push_back({.cell = cell,
                                       .order = schedule.repetitions_++,
                                       .warmup = block.warmup || (cell_first && first_is_warmup),
                                       .first = arm_first});
      cell_seen[static_cast<size_t>(cell)] = true;
      arm_seen[static_cast<size_t>(arm)] = true;
      if (arm_first) schedule.arms_.push_back(arm);
    }
    schedule.largest_block_ = std::max(schedule.largest_block_, scheduled.repetitions.size());
    schedule.blocks_.push_back(std::move(scheduled));
  }
  return schedule;
}

}  // namespace rdmalab
