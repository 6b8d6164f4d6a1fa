// One repetition of an operations cell, as it goes into samples.jsonl (docs/formats.md has each
// key): raw sub-windows of a rate, or the time of each operation.
#ifndef RDMALAB_ENGINE_RESULTS_OPERATION_SAMPLE_H_
#define RDMALAB_ENGINE_RESULTS_OPERATION_SAMPLE_H_

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/results/failure.h"

namespace rdmalab {

struct SubWindow {
  int64_t ns = 0;
  int64_t messages = 0;
};

// Why a cell failed; the last three are set where a device said so.
struct OperationFailure {
  Failure failure;
  std::optional<std::string> wc_status;
  std::optional<uint32_t> vendor_error;
  std::optional<std::string> advice;
};

struct OperationSample {
  int pair = 0;
  int block = 0;
  int rep = 0;
  int64_t order = 0;
  int cell = 0;
  std::string arm;
  int64_t size_bytes = 0;
  std::string op;
  std::string backend;
  std::string mode;
  int window = 0;
  std::optional<int> recv_depth;  // of a send
  int signal_every = 0;
  bool inlined = false;
  int post_list = 0;
  std::string memory;
  int64_t working_set_bytes = 0;  // as walked: whole slots
  bool warmup = false;
  int64_t messages = 0;
  std::optional<int64_t> elapsed_ns;
  int64_t start_ns = 0;
  int64_t start_utc_ns = 0;
  std::vector<SubWindow> sub_windows;              // of a rate
  std::optional<std::vector<int64_t>> latency_ns;  // in the order of the operations
  bool verified = false;
  std::map<std::string, int64_t> counters;
  std::map<std::string, std::string> facts;  // how a memory was registered, and such
  std::optional<OperationFailure> error;
};

nlohmann::ordered_json ToJson(const OperationSample& sample);

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_RESULTS_OPERATION_SAMPLE_H_
