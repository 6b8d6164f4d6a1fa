// <role>.json: who measured, with which library and clock, under which limits, and what the lane
// turned out to be.
//
// The caller fills in what it knows of UCX and of the lane: this room does not know them.
#ifndef RDMALAB_ENGINE_RESULTS_SELF_DESCRIPTION_H_
#define RDMALAB_ENGINE_RESULTS_SELF_DESCRIPTION_H_

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/clock_check.h"
#include "engine/results/process_facts.h"

namespace rdmalab {

struct UcxFacts {
  std::string header;   // version compiled with
  std::string runtime;  // version loaded
  std::string library_path;
  std::string library_sha256;
  std::optional<std::string>
      conf_path;  // the ucx.conf that has the last word; nothing: there is none
  std::optional<std::string> conf_sha256;
  std::map<std::string, std::string> settings;  // resolved
  std::map<std::string, std::string> env;       // UCX_* of this process
  std::vector<std::string> memory_domains;
};

// One row of a protocol table.
struct LaneRow {
  int64_t from_bytes = 0;
  std::optional<int64_t> to_bytes;  // inclusive; nothing: no end
  std::string protocol;
  std::string config;
  bool estimate = false;
};

struct LaneCheckFacts {
  std::string operation;
  std::vector<LaneRow> rows;
  std::string verdict;  // accepted, refused or unproven
  std::string text;
};

// The port that an engine without UCX drives.
struct VerbsFacts {
  std::string device;
  int port = 1;
  std::string link_layer;
  std::optional<int> gid_index;
  std::string gid;  // hexadecimal
  int lid = 0;
  int mtu_bytes = 0;
  std::string firmware;
  int initiated_reads = 0;   // outstanding reads that it may start
  int answered_reads = 0;    // and that it answers
  std::string connected_by;  // "exchange" or "rdmacm"
};

struct SelfDescription {
  std::string role;
  std::string engine_version;
  ProcessFacts process;
  std::optional<UcxFacts> ucx;               // nothing on lanes without UCX
  std::optional<VerbsFacts> verbs;           // nothing on lanes with UCX
  std::optional<ClockDrift> clock_drift;     // at the end of the run
  std::optional<LaneCheckFacts> lane_check;  // of whoever transfers
};

// The document `rdmalab.engine`. A clock_drift adds `elapsed_ns`, `against_monotonic_raw_ppm` and
// `against_utc_ppm` to its `clock`; without a lane_check there is no such key.
nlohmann::ordered_json ToJson(const SelfDescription& self, const Clock& clock);

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_RESULTS_SELF_DESCRIPTION_H_
