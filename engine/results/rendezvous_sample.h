// One repetition of a rendezvous cell, as it goes into samples.jsonl (docs/formats.md has each
// key).
//
// Filled in place in a SampleBuffer: the text fields point at names that outlive the run (enum
// names, names in the plan), so that taking a sample allocates nothing. Only a failure, which ends
// the timed part, owns text.
#ifndef RDMALAB_ENGINE_RESULTS_RENDEZVOUS_SAMPLE_H_
#define RDMALAB_ENGINE_RESULTS_RENDEZVOUS_SAMPLE_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "engine/results/failure.h"

namespace rdmalab {

struct RendezvousSample {
  int pair = 0;
  int block = 0;
  int rep = 0;
  int64_t order = 0;  // index over the process
  int cell = 0;
  std::string_view arm;
  int64_t size_bytes = 0;
  std::string_view op;
  bool warmup = false;
  bool first = false;  // the arm's first transfer in this process
  std::string_view path;
  std::string_view path_asked;
  std::string_view reason;
  std::string_view refusal;  // empty: the owner did not refuse
  std::string_view read;
  std::string_view via;
  std::string_view staging;
  std::string_view staging_asked;
  std::string_view staging_reason;
  int64_t min_bytes = 0;
  int64_t chunk_bytes = 0;
  int depth = 0;
  int64_t chunks = 0;  // pulled
  std::optional<int64_t> piece_bytes;
  int64_t bytes = 0;  // moved
  int64_t start_ns = 0;
  int64_t start_utc_ns = 0;
  // A phase that was not reached has no time.
  std::optional<int64_t> wireup_ns;
  std::optional<int64_t> acquire_ns;
  std::optional<int64_t> transfer_ns;
  std::optional<int64_t> copy_ns;
  std::optional<int64_t> release_ns;
  std::optional<int64_t> minor_faults;   // of the whole get, by its thread
  std::optional<int64_t> registrations;  // inside the timed part
  std::optional<bool> nic_registered;    // nothing on lanes without a NIC
  std::optional<uint64_t> md_map;        // of the packed key
  bool verified = false;
  std::optional<Failure> error;

  // wireup + acquire + transfer + copy, or nothing if one of them was not reached.
  std::optional<int64_t> TotalNs() const;
};

// The line's object, keys in the order of the struct.
nlohmann::ordered_json ToJson(const RendezvousSample& sample);

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_RESULTS_RENDEZVOUS_SAMPLE_H_
