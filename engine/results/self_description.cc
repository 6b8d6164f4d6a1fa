#include "engine/results/self_description.h"

namespace rdmalab {
namespace {

using nlohmann::ordered_json;

template <typename T>
ordered_json OrNull(const std::optional<T>& value) {
  return value.has_value() ? ordered_json(*value) : ordered_json(nullptr);
}

ordered_json UcxJson(const UcxFacts& ucx) {
  return {{"header", ucx.header},
          {"runtime", ucx.runtime},
          {"library_path", ucx.library_path},
          {"library_sha256", ucx.library_sha256},
          {"conf_path", OrNull(ucx.conf_path)},
          {"conf_sha256", OrNull(ucx.conf_sha256)},
          {"settings", ordered_json(ucx.settings)},
          {"env", ordered_json(ucx.env)},
          {"memory_domains", ucx.memory_domains}};
}

ordered_json VerbsJson(const VerbsFacts& verbs) {
  return {{"device", verbs.device},
          {"port", verbs.port},
          {"link_layer", verbs.link_layer},
          {"gid_index", OrNull(verbs.gid_index)},
          {"gid", verbs.gid},
          {"lid", verbs.lid},
          {"mtu_bytes", verbs.mtu_bytes},
          {"firmware", verbs.firmware},
          {"initiated_reads", verbs.initiated_reads},
          {"answered_reads", verbs.answered_reads},
          {"connected_by", verbs.connected_by}};
}

ordered_json ClockJson(const Clock& clock, const std::optional<ClockDrift>& drift) {
  ordered_json json = {{"name", std::string(clock.name())},
                       {"resolution_ns", clock.resolution_ns()},
                       {"overhead_ns", clock.overhead_ns()}};
  if (drift.has_value()) {
    json["elapsed_ns"] = drift->elapsed_ns;
    json["against_monotonic_raw_ppm"] = drift->against_monotonic_raw_ppm;
    json["against_utc_ppm"] = drift->against_utc_ppm;
  }
  return json;
}

ordered_json LaneCheckJson(const LaneCheckFacts& check) {
  ordered_json rows = ordered_json::array();
  for (const LaneRow& row : check.rows) {
    rows.push_back({{"from_bytes", row.from_bytes},
                    {"to_bytes", OrNull(row.to_bytes)},
                    {"protocol", row.protocol},
                    {"config", row.config},
                    {"estimate", row.estimate}});
  }
  return {{"operation", check.operation},
          {"rows", std::move(rows)},
          {"verdict", check.verdict},
          {"text", check.text}};
}

}  // namespace

ordered_json ToJson(const SelfDescription& self, const Clock& clock) {
  const ProcessFacts& process = self.process;
  ordered_json json = {{"format", "rdmalab.engine"},
                       {"version", 1},
                       {"role", self.role},
                       {"engine_version", self.engine_version},
                       {"binary_sha256", process.binary_sha256},
                       {"hostname", process.hostname},
                       {"pid", process.pid},
                       {"cpus_allowed", process.cpus_allowed},
                       {"ucx", self.ucx ? UcxJson(*self.ucx) : ordered_json(nullptr)},
                       {"kernel_page_bytes", process.kernel_page_bytes},
                       {"memlock_bytes", OrNull(process.memlock_bytes)},
                       {"cap_ipc_lock", process.cap_ipc_lock},
                       {"clock", ClockJson(clock, self.clock_drift)}};
  if (self.verbs.has_value()) json["verbs"] = VerbsJson(*self.verbs);
  if (self.lane_check.has_value()) json["lane_check"] = LaneCheckJson(*self.lane_check);
  return json;
}

}  // namespace rdmalab
