#include "engine/results/rendezvous_sample.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "engine/results/or_null.h"

namespace rdmalab {
namespace {

using nlohmann::ordered_json;

}  // namespace

std::optional<int64_t> RendezvousSample::TotalNs() const {
  if (!wireup_ns || !acquire_ns || !transfer_ns || !copy_ns) return std::nullopt;
  return *wireup_ns + *acquire_ns + *transfer_ns + *copy_ns;
}

ordered_json ToJson(const RendezvousSample& sample) {
  const auto md_map = sample.md_map.has_value()
                          ? std::optional<std::string>(absl::StrCat(absl::Hex(*sample.md_map)))
                          : std::nullopt;
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
      {"warmup", sample.warmup},
      {"first", sample.first},
      {"path", sample.path},
      {"path_asked", sample.path_asked},
      {"reason", sample.reason},
      {"refusal", sample.refusal.empty() ? ordered_json(nullptr) : ordered_json(sample.refusal)},
      {"read", sample.read},
      {"via", sample.via},
      {"staging", sample.staging},
      {"staging_asked", sample.staging_asked},
      {"staging_reason", sample.staging_reason},
      {"min_bytes", sample.min_bytes},
      {"chunk", sample.chunk_bytes},
      {"depth", sample.depth},
      {"chunks", sample.chunks},
      {"piece_bytes", OrNull(sample.piece_bytes)},
      {"bytes", sample.bytes},
      {"start_ns", sample.start_ns},
      {"start_utc_ns", sample.start_utc_ns},
      {"wireup_ns", OrNull(sample.wireup_ns)},
      {"acquire_ns", OrNull(sample.acquire_ns)},
      {"transfer_ns", OrNull(sample.transfer_ns)},
      {"copy_ns", OrNull(sample.copy_ns)},
      {"release_ns", OrNull(sample.release_ns)},
      {"total_ns", OrNull(sample.TotalNs())},
      {"minor_faults", OrNull(sample.minor_faults)},
      {"registrations", OrNull(sample.registrations)},
      {"nic_registered", OrNull(sample.nic_registered)},
      {"md_map", OrNull(md_map)},
      {"verified", sample.verified},
      {"error", ToJson(sample.error)},
  };
}

}  // namespace rdmalab
