#include "engine/run/operation_translation.h"

#include <unistd.h>

#include <algorithm>
#include <set>

namespace rdmalab {
namespace {

RemoteOperation OperationOf(OperationKind kind) {
  switch (kind) {
    case OperationKind::kRead:
      return RemoteOperation::kRead;
    case OperationKind::kWrite:
      return RemoteOperation::kWrite;
    case OperationKind::kSend:
      return RemoteOperation::kSend;
  }
  return RemoteOperation::kWrite;
}

}  // namespace

CellSpec CellSpecOf(const Plan& plan, const Cell& cell) {
  const OperationArm& arm = plan.OperationArmOf(cell);
  return {.op = OperationOf(arm.op),
          .latency = arm.mode == OperationMode::kLatency,
          .size_bytes = static_cast<size_t>(cell.size_bytes),
          .window = static_cast<uint64_t>(cell.window),
          .recv_depth = static_cast<uint64_t>(arm.recv_depth),
          .iterations = static_cast<uint64_t>(arm.iterations),
          .duration = absl::Milliseconds(arm.duration_ms),
          .signal_every_asked = arm.signal_every,
          .inline_bytes = static_cast<size_t>(arm.inline_bytes),
          .post_list_asked = arm.post_list,
          .working_set_bytes = static_cast<size_t>(arm.working_set_bytes)};
}

WorkingSet WorkingSetOf(const Plan& plan, const Cell& cell) {
  return WorkingSet(static_cast<size_t>(cell.size_bytes),
                    static_cast<size_t>(plan.OperationArmOf(cell).working_set_bytes));
}

MemoryPlace MemoryPlaceOf(const Plan& plan, const Cell& cell) {
  switch (plan.OperationArmOf(cell).memory) {
    case BufferMemory::kHost:
      return MemoryPlace::kHost;
    case BufferMemory::kHostHuge:
      return MemoryPlace::kHostHuge;
    case BufferMemory::kCuda:
      return MemoryPlace::kCuda;
  }
  return MemoryPlace::kHost;
}

WorkingSet::Identity IdentityOf(const Plan& plan, int cell, int rep) {
  return {
      .seed = plan.seed, .cell = static_cast<uint64_t>(cell), .rep = static_cast<uint64_t>(rep)};
}

std::map<MemoryPlace, size_t> LargestWorkingSets(const Plan& plan) {
  std::map<MemoryPlace, size_t> largest;
  for (const Cell& cell : plan.cells) {
    if (plan.OperationArmOf(cell).peer.has_value()) continue;
    size_t& bytes = largest[MemoryPlaceOf(plan, cell)];
    bytes = std::max(bytes, WorkingSetOf(plan, cell).bytes());
  }
  return largest;
}

ucx::LaneWanted OperationLaneWantedOf(const Plan& plan, int arm, const Schedule& schedule) {
  const OperationArm& measured = plan.operation_arms[static_cast<size_t>(arm)];
  ucx::LaneWanted wanted;
  wanted.lane = plan.lane.name;
  wanted.transports = plan.lane.transports;
  wanted.pid = getpid();
  if (measured.op != OperationKind::kRead) return wanted;
  if (measured.proof.protocols.has_value()) {
    wanted.protocols = *measured.proof.protocols;
  } else if (const auto lane = plan.lane.accepts.find("get"); lane != plan.lane.accepts.end()) {
    wanted.protocols = lane->second;
  }
  std::set<uint64_t> sizes;
  for (const ScheduledBlock& block : schedule.blocks()) {
    for (const Repetition& repetition : block.repetitions) {
      const Cell& cell = plan.CellAt(repetition.cell);
      if (cell.arm == arm) sizes.insert(static_cast<uint64_t>(cell.size_bytes));
    }
  }
  wanted.sizes.assign(sizes.begin(), sizes.end());
  return wanted;
}

}  // namespace rdmalab
