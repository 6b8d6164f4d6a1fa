// From an operations plan's words to those of engine/operations.
#ifndef RDMALAB_ENGINE_RUN_OPERATION_TRANSLATION_H_
#define RDMALAB_ENGINE_RUN_OPERATION_TRANSLATION_H_

#include <cstddef>
#include <map>
#include <optional>

#include "engine/operations/cell_spec.h"
#include "engine/operations/memory_set.h"
#include "engine/operations/working_set.h"
#include "engine/plan/plan.h"
#include "engine/sampling/schedule.h"
#include "engine/ucx/lane_check.h"

namespace rdmalab {

CellSpec CellSpecOf(const Plan& plan, const Cell& cell);
WorkingSet WorkingSetOf(const Plan& plan, const Cell& cell);
MemoryPlace MemoryPlaceOf(const Plan& plan, const Cell& cell);
WorkingSet::Identity IdentityOf(const Plan& plan, int cell, int rep);

// Bytes of the largest working set of each kind of memory, over all cells that the engine measures.
std::map<MemoryPlace, size_t> LargestWorkingSets(const Plan& plan);

// What must be proven of an arm's reads over UCX; no protocols: the lane promises nothing for it.
ucx::LaneWanted OperationLaneWantedOf(const Plan& plan, int arm, const Schedule& schedule);

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_RUN_OPERATION_TRANSLATION_H_
