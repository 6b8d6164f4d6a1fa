#include "engine/run/operation_sample_maker.h"

#include "engine/run/operation_translation.h"
#include "engine/verbs/status.h"

namespace rdmalab {

OperationSample SampleOf(const OperationPlace& place) {
  const Cell& cell = place.plan.CellAt(place.repetition.cell);
  const OperationArm& arm = place.plan.OperationArmOf(cell);
  const CellSpec spec = CellSpecOf(place.plan, cell);
  OperationSample sample;
  sample.pair = place.pair;
  sample.block = place.block.id;
  sample.rep = place.block.rep;
  sample.order = place.repetition.order;
  sample.cell = place.repetition.cell;
  sample.arm = arm.name;
  sample.size_bytes = cell.size_bytes;
  sample.op = std::string(Name(arm.op));
  sample.backend = place.backend;
  sample.mode = std::string(Name(arm.mode));
  sample.window = cell.window;
  if (arm.op == OperationKind::kSend) sample.recv_depth = arm.recv_depth;
  sample.signal_every = static_cast<int>(spec.signal_every());
  sample.inlined = spec.inlined() && place.plan.lane.backend == Backend::kVerbs;
  sample.post_list = static_cast<int>(spec.post_list());
  sample.memory = std::string(Name(arm.memory));
  sample.working_set_bytes = static_cast<int64_t>(WorkingSetOf(place.plan, cell).bytes());
  sample.warmup = place.repetition.warmup;
  return sample;
}

void AddMeasured(const Measured& measured, bool complete, OperationSample& sample) {
  sample.messages = static_cast<int64_t>(measured.messages);
  for (const MeasuredPart& part : measured.sub_windows) {
    sample.sub_windows.push_back({part.ns, part.messages});
  }
  sample.counters["completed"] = static_cast<int64_t>(measured.total);
  if (!complete) return;
  sample.start_ns = measured.start_ns;
  sample.elapsed_ns = measured.elapsed_ns;
  sample.latency_ns = measured.latency_ns;
}

void AddFacts(const LinkFacts& facts, const std::string& prefix, OperationSample& sample) {
  for (const auto& [name, value] : facts.counters) sample.counters[prefix + name] = value;
  for (const auto& [name, value] : facts.facts) {
    sample.facts[name == "md_map" ? name : prefix + name] = value;
  }
}

OperationFailure OperationFailureOf(const std::string& phase, const absl::Status& status) {
  OperationFailure failure{
      .failure = FailureOf(phase, status), .wc_status = {}, .vendor_error = {}, .advice = {}};
  if (const auto facts = verbs::CompletionFactsOf(status); facts.has_value()) {
    failure.wc_status = facts->wc_status;
    failure.vendor_error = facts->vendor_error;
    failure.advice = facts->advice;
  }
  return failure;
}

}  // namespace rdmalab
