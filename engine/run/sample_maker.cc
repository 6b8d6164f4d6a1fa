#include "engine/run/sample_maker.h"

#include <string_view>

#include "absl/strings/string_view.h"
#include "engine/rendezvous/reasons.h"

namespace rdmalab {
namespace {

std::string_view View(absl::string_view text) { return {text.data(), text.size()}; }

void FillAsked(const SamplePlace& place, RendezvousSample& sample) {
  const Cell& cell = place.plan.CellAt(place.repetition.cell);
  const Arm& arm = place.plan.ArmOf(cell);
  sample.pair = place.pair;
  sample.block = place.block.id;
  sample.rep = place.block.rep;
  sample.order = place.repetition.order;
  sample.cell = place.repetition.cell;
  sample.arm = arm.name;
  sample.size_bytes = cell.size_bytes;
  sample.op = Name(arm.op);
  sample.warmup = place.repetition.warmup;
  sample.first = place.repetition.first;
  sample.path_asked = Name(arm.path);
  sample.read = Name(arm.read);
  sample.via = Name(arm.via);
  sample.staging_asked = Name(arm.staging);
  sample.min_bytes = arm.min_bytes;
  sample.chunk_bytes = arm.chunk_bytes;
  sample.depth = arm.depth;
}

}  // namespace

void FillSample(const SamplePlace& place, const GetOutcome& outcome, const ucx::Context& context,
                RendezvousSample& sample) {
  FillAsked(place, sample);
  const Arm& arm = place.plan.ArmOf(place.plan.CellAt(place.repetition.cell));
  sample.path = Name(outcome.rdma ? TransferPath::kRdma : TransferPath::kChunked);
  sample.reason = View(Name(outcome.reason));
  const Refusal refusal = outcome.refusal.value_or(Refusal::kNone);
  sample.refusal = refusal == Refusal::kNone ? std::string_view() : View(Name(refusal));
  sample.staging = Name(outcome.pinned ? Staging::kPinned : Staging::kPlain);
  sample.staging_reason = View(Name(outcome.staging_reason));
  sample.chunks = outcome.chunks;
  if (outcome.rdma && arm.read == ReadMode::kGet && arm.copy == CopyMode::kOverlapped) {
    sample.piece_bytes = arm.piece_bytes;
  }
  sample.bytes = static_cast<int64_t>(outcome.bytes);
  sample.start_ns = outcome.start_ns;
  sample.start_utc_ns = outcome.start_utc_ns;
  sample.wireup_ns = outcome.wireup_ns;
  sample.acquire_ns = outcome.acquire_ns;
  sample.transfer_ns = outcome.transfer_ns;
  sample.copy_ns = outcome.copy_ns;
  sample.release_ns = outcome.release_ns;
  sample.minor_faults = outcome.minor_faults;
  sample.registrations = outcome.registrations;
  sample.md_map = outcome.md_map;
  if (context.HasNic() && outcome.md_map.has_value()) {
    sample.nic_registered = context.NicRegistered(*outcome.md_map);
  }
  sample.verified = false;
  if (!outcome.error.ok()) sample.error = FailureOf(Name(outcome.error_phase), outcome.error);
}

}  // namespace rdmalab
