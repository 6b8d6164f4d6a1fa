#include "engine/run/plan_translation.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <set>

#include "absl/strings/str_cat.h"

namespace rdmalab {
namespace {

ArmSpec::Read ReadOf(ReadMode mode) {
  switch (mode) {
    case ReadMode::kGet:
      return ArmSpec::Read::kOwned;
    case ReadMode::kGetPinned:
      return ArmSpec::Read::kPinned;
    case ReadMode::kGetInto:
      return ArmSpec::Read::kInto;
  }
  return ArmSpec::Read::kOwned;
}

bool CopiesByPieces(const Arm& arm) {
  return arm.read == ReadMode::kGet && arm.copy == CopyMode::kOverlapped;
}

// The sizes of the GETs that a payload becomes.
void AddGetSizes(const Arm& arm, int64_t payload, std::set<uint64_t>& sizes) {
  if (!CopiesByPieces(arm) || payload <= arm.piece_bytes) {
    sizes.insert(static_cast<uint64_t>(payload));
    return;
  }
  sizes.insert(static_cast<uint64_t>(arm.piece_bytes));
  if (const int64_t rest = payload % arm.piece_bytes; rest > 0) {
    sizes.insert(static_cast<uint64_t>(rest));
  }
}

}  // namespace

ArmSpec ArmSpecOf(const Arm& arm) {
  return {.name = arm.name,
          .asks_for_rdma = arm.path == TransferPath::kRdma,
          .read = ReadOf(arm.read),
          .control_over_am = arm.via == Via::kAm,
          .overlapped_copy = arm.copy == CopyMode::kOverlapped,
          .fresh_destination = arm.destination == Destination::kFresh,
          .chunk_bytes = static_cast<size_t>(arm.chunk_bytes),
          .depth = static_cast<size_t>(arm.depth),
          .piece_bytes = static_cast<size_t>(arm.piece_bytes),
          .eager_endpoint = arm.eager_endpoint};
}

std::vector<SlotRequest> SlotRequestsOf(const Plan& plan, int block) {
  std::vector<SlotRequest> requests;
  for (const int id : plan.blocks[static_cast<size_t>(block)].cells) {
    const Cell& cell = plan.CellAt(id);
    const Arm& arm = plan.ArmOf(cell);
    requests.push_back({.slot = static_cast<uint32_t>(id),
                        .bytes = static_cast<size_t>(cell.size_bytes),
                        .pinned = arm.staging == Staging::kPinned,
                        .policy = {.rdma = arm.path == TransferPath::kRdma,
                                   .min_bytes = static_cast<uint64_t>(arm.min_bytes),
                                   .kill_switch = arm.kill_switch}});
  }
  return requests;
}

OwnerDuty OwnerDutyOf(const Arm& arm) {
  const bool over_am = arm.via == Via::kAm;
  return {.control_over_am = over_am, .ucx_has_work = over_am || arm.path == TransferPath::kRdma};
}

ucx::ErrorHandling ErrorHandlingOf(const Lane& lane) {
  return lane.error_handling == ErrorHandling::kPeer ? ucx::ErrorHandling::kPeer
                                                     : ucx::ErrorHandling::kNone;
}

size_t LargestPayload(const Plan& plan, const Schedule& schedule) {
  int64_t largest = 1;
  for (const ScheduledBlock& block : schedule.blocks()) {
    for (const Repetition& repetition : block.repetitions) {
      largest = std::max(largest, plan.CellAt(repetition.cell).size_bytes);
    }
  }
  return static_cast<size_t>(largest);
}

ucx::LaneWanted LaneWantedOf(const Plan& plan, int arm, const Schedule& schedule) {
  const Arm& measured = plan.arms[static_cast<size_t>(arm)];
  ucx::LaneWanted wanted;
  wanted.lane = plan.lane.name;
  wanted.transports = plan.lane.transports;
  wanted.pid = getpid();
  if (measured.proof.protocols.has_value()) {
    wanted.protocols = *measured.proof.protocols;
  } else if (const auto lane = plan.lane.accepts.find("get"); lane != plan.lane.accepts.end()) {
    wanted.protocols = lane->second;
  }
  std::set<uint64_t> sizes;
  for (const ScheduledBlock& block : schedule.blocks()) {
    for (const Repetition& repetition : block.repetitions) {
      const Cell& cell = plan.CellAt(repetition.cell);
      if (cell.arm == arm) AddGetSizes(measured, cell.size_bytes, sizes);
    }
  }
  wanted.sizes.assign(sizes.begin(), sizes.end());
  return wanted;
}

absl::Status CheckLaneEnvironment(const Lane& lane,
                                  const std::map<std::string, std::string>& environment) {
  for (const auto& [name, value] : lane.env) {
    const auto found = environment.find(name);
    if (found != environment.end() && found->second == value) continue;
    return absl::FailedPreconditionError(absl::StrCat(
        "lane ", lane.name, " wants ", name, "=", value, ", the environment ",
        found == environment.end() ? "does not set it" : absl::StrCat("says ", found->second),
        "; start the engine with the lane's own variables"));
  }
  return absl::OkStatus();
}

}  // namespace rdmalab
