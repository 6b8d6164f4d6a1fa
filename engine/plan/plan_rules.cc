#include "engine/plan/plan_rules.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/base/json_object.h"
#include "engine/base/status.h"

namespace rdmalab {
namespace {

template <typename... Parts>
absl::Status Broken(const std::string& path, const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(path, ": ", parts...));
}

absl::Status CheckSizes(const Plan& plan) {
  std::set<int64_t> seen;
  for (size_t i = 0; i < plan.sizes_bytes.size(); ++i) {
    if (!seen.insert(plan.sizes_bytes[i]).second) {
      return Broken(IndexPath("sizes", i), plan.sizes_bytes[i], ": stands twice");
    }
  }
  return absl::OkStatus();
}

template <typename AnyArm>
absl::Status CheckArmNames(const std::vector<AnyArm>& arms) {
  std::set<std::string> seen;
  for (size_t i = 0; i < arms.size(); ++i) {
    if (!seen.insert(arms[i].name).second) {
      return Broken(IndexPath("arms", i) + ".name", arms[i].name, ": stands twice");
    }
  }
  return absl::OkStatus();
}

absl::Status CheckCells(const Plan& plan) {
  std::set<std::tuple<int, int64_t, int>> seen;
  for (size_t i = 0; i < plan.cells.size(); ++i) {
    const Cell& cell = plan.cells[i];
    const std::string path = IndexPath("cells", i);
    if (static_cast<size_t>(cell.arm) >= plan.arm_count()) {
      return Broken(path + ".arm", cell.arm, ": there are ", plan.arm_count(), " arms");
    }
    if (std::count(plan.sizes_bytes.begin(), plan.sizes_bytes.end(), cell.size_bytes) == 0) {
      return Broken(path + ".size", cell.size_bytes, ": not among sizes");
    }
    if (plan.engine == EngineKind::kOperations &&
        std::count(plan.windows.begin(), plan.windows.end(), cell.window) == 0) {
      return Broken(path + ".window", cell.window, ": not among windows");
    }
    if (!seen.insert({cell.arm, cell.size_bytes, cell.window}).second) {
      const bool windows = plan.engine == EngineKind::kOperations;
      return Broken(path, "the same arm", windows ? ", size and window" : " and size",
                    " as an earlier cell");
    }
  }
  return absl::OkStatus();
}

// A cell of the operations engine that no queue pair could run, or that would measure another
// thing.
absl::Status CheckOperationCell(const Plan& plan, size_t cell_id) {
  const Cell& cell = plan.cells[cell_id];
  const OperationArm& arm = plan.OperationArmOf(cell);
  const std::string path = IndexPath("arms", static_cast<size_t>(cell.arm));
  if (arm.op == OperationKind::kSend && arm.recv_depth < cell.window) {
    return Broken(path + ".recv_depth", arm.recv_depth, ": below window ", cell.window,
                  ": the sender would run ahead of the posted receives");
  }
  if (arm.signal_every > cell.window) {
    return Broken(path + ".signal_every", arm.signal_every, ": above window ", cell.window,
                  ": no completion would ever come");
  }
  if (cell.size_bytes > arm.working_set_bytes) {
    return Broken(path + ".working_set_bytes", arm.working_set_bytes, ": a message of ",
                  cell.size_bytes, " bytes is larger");
  }
  if (arm.mode == OperationMode::kLatency && cell.window != 1) {
    return Broken(IndexPath("cells", cell_id) + ".window", cell.window,
                  ": latency is measured one operation at a time");
  }
  return absl::OkStatus();
}

absl::Status CheckOperationCells(const Plan& plan) {
  for (size_t i = 0; i < plan.cells.size(); ++i) RETURN_IF_ERROR(CheckOperationCell(plan, i));
  return absl::OkStatus();
}

// An arm that could not take the path it is named for would be measured as the other one.
absl::Status CheckPath(const Plan& plan, size_t cell_id) {
  const Cell& cell = plan.cells[cell_id];
  const Arm& arm = plan.ArmOf(cell);
  const std::string path = IndexPath("arms", static_cast<size_t>(cell.arm));
  const bool offered =
      !arm.kill_switch && arm.staging == Staging::kPinned && cell.size_bytes >= arm.min_bytes;
  if (arm.path == TransferPath::kChunked) {
    if (!offered) return absl::OkStatus();
    return Broken(path + ".min_bytes", arm.min_bytes, ": a payload of ", cell.size_bytes,
                  " bytes is at or above it, where the chunked arm '", arm.name,
                  "' would be an rdma arm");
  }
  if (arm.kill_switch) {
    return Broken(path + ".kill_switch", "true: the rdma arm '", arm.name,
                  "' would be a chunked arm");
  }
  if (arm.staging == Staging::kPlain) {
    return Broken(path + ".staging", "plain: rdma is offered from pinned memory only, the arm '",
                  arm.name, "' would be a chunked arm");
  }
  if (!offered) {
    return Broken(path + ".min_bytes", arm.min_bytes, ": above a payload of ", cell.size_bytes,
                  " bytes, where the rdma arm '", arm.name, "' would be a chunked arm");
  }
  return absl::OkStatus();
}

absl::Status CheckPaths(const Plan& plan) {
  for (size_t i = 0; i < plan.cells.size(); ++i) RETURN_IF_ERROR(CheckPath(plan, i));
  return absl::OkStatus();
}

absl::Status CheckBlockCells(const Plan& plan, const Block& block, const std::string& path) {
  if (block.cells.empty()) return Broken(path + ".cells", "empty");
  if (plan.pair == PairKind::kCold && block.cells.size() != 1) {
    return Broken(path + ".cells", block.cells.size(), " cells: a cold pair runs one");
  }
  for (size_t i = 0; i < block.cells.size(); ++i) {
    const int cell = block.cells[i];
    if (static_cast<size_t>(cell) >= plan.cells.size()) {
      return Broken(IndexPath(path + ".cells", i), cell, ": there are ", plan.cells.size(),
                    " cells");
    }
  }
  return absl::OkStatus();
}

absl::Status CheckBlocks(const Plan& plan) {
  std::set<std::pair<int, int>> seen;  // pair and rep
  const bool cold = plan.pair == PairKind::kCold;
  const size_t pairs = cold ? plan.blocks.size() : static_cast<size_t>(plan.pairs);
  for (size_t i = 0; i < plan.blocks.size(); ++i) {
    const Block& block = plan.blocks[i];
    const std::string path = IndexPath("blocks", i);
    if (static_cast<size_t>(block.pair) >= pairs) {
      return Broken(path + ".pair", block.pair, ": there are ", pairs, " planned pairs");
    }
    if (block.rep >= plan.reps) {
      return Broken(path + ".rep", block.rep, ": there are ", plan.reps, " reps");
    }
    // A cold pair serves one block; a warm one serves each rep once.
    if (!seen.insert({block.pair, cold ? 0 : block.rep}).second) {
      return Broken(path, "pair ", block.pair, cold ? "" : absl::StrCat(" and rep ", block.rep),
                    " stand in an earlier block");
    }
    RETURN_IF_ERROR(CheckBlockCells(plan, block, path));
  }
  return absl::OkStatus();
}

absl::Status CheckLimits(const Plan& plan) {
  if (plan.limits.arena_bytes <= plan.limits.registered_bytes) return absl::OkStatus();
  return Broken("limits.arena_bytes", plan.limits.arena_bytes, ": above registered_bytes, ",
                plan.limits.registered_bytes);
}

}  // namespace

absl::Status CheckPlanRules(const Plan& plan) {
  RETURN_IF_ERROR(CheckSizes(plan));
  RETURN_IF_ERROR(CheckArmNames(plan.arms));
  RETURN_IF_ERROR(CheckArmNames(plan.operation_arms));
  RETURN_IF_ERROR(CheckCells(plan));
  RETURN_IF_ERROR(plan.engine == EngineKind::kOperations ? CheckOperationCells(plan)
                                                         : CheckPaths(plan));
  RETURN_IF_ERROR(CheckBlocks(plan));
  return CheckLimits(plan);
}

}  // namespace rdmalab
