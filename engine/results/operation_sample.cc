#include "engine/results/operation_sample.h"

#include "engine/results/or_null.h"

namespace rdmalab {
namespace {

using nlohmann::ordered_json;

ordered_json SubWindowsJson(const std::vector<SubWindow>& sub_windows) {
  ordered_json json = ordered_json::array();
  for (const SubWindow& each : sub_windows) {
    json.push_back({{"ns", each.ns}, {"messages", each.messages}});
  }
  return json;
}

ordered_json ErrorJson(const std::optional<OperationFailure>& error) {
  if (!error.has_value()) return nullptr;
  return {{"phase", error->failure.phase},
          {"code", error->failure.code},
          {"text", error->failure.text},
          {"wc_status", OrNull(error->wc_status)},
          {"vendor_error", OrNull(error->vendor_error)},
          {"advice", OrNull(error->advice)}};
}

ordered_json CountersJson(const OperationSample& sample) {
  ordered_json json = ordered_json::object();
  for (const auto& [name, value] : sample.counters) json[name] = value;
  for (const auto& [name, value] : sample.facts) json[name] = value;
  return json;
}

}  // namespace

ordered_json ToJson(const OperationSample& sample) {
  return {
      {"kind", "sample"},
      {"pair", sample.pair},
      {"block", sample.block},
      {"rep", sample.rep},
      {"order", sample.order},
      {"cell", sample.cell},
      {"arm", sample.arm},
      {"size", sample.size_bytes},
      {"op", sample.op},
      {"backend", sample.backend},
      {"mode", sample.mode},
      {"window", sample.window},
      {"recv_depth", OrNull(sample.recv_depth)},
      {"signal_every", sample.signal_every},
      {"inline", sample.inlined},
      {"post_list", sample.post_list},
      {"memory", sample.memory},
      {"working_set_bytes", sample.working_set_bytes},
      {"warmup", sample.warmup},
      {"messages", sample.messages},
      {"bytes", sample.messages * sample.size_bytes},
      {"elapsed_ns", OrNull(sample.elapsed_ns)},
      {"start_ns", sample.start_ns},
      {"start_utc_ns", sample.start_utc_ns},
      {"sub_windows", SubWindowsJson(sample.sub_windows)},
      {"latency_ns", OrNull(sample.latency_ns)},
      {"verified", sample.verified},
      {"counters", CountersJson(sample)},
      {"error", ErrorJson(sample.error)},
  };
}

}  // namespace rdmalab
