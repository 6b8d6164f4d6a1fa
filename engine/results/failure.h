// Why a repetition or a whole process failed: the `error` object of sample and end lines.
#ifndef RDMALAB_ENGINE_RESULTS_FAILURE_H_
#define RDMALAB_ENGINE_RESULTS_FAILURE_H_

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace rdmalab {

struct Failure {
  std::string phase;  // of a sample: wireup, acquire, transfer, copy, verify or release
  std::string code;   // absl's code in lower case: "deadline_exceeded"
  std::string text;
};

// `status` is not OK.
Failure FailureOf(std::string_view phase, const absl::Status& status);

// The object, or null.
nlohmann::ordered_json ToJson(const std::optional<Failure>& failure);

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_RESULTS_FAILURE_H_
