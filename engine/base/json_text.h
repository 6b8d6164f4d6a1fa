// JSON text to nlohmann::json, strictly: duplicate keys and deep nesting are errors, and each error
// has its offset.
#ifndef RDMALAB_ENGINE_BASE_JSON_TEXT_H_
#define RDMALAB_ENGINE_BASE_JSON_TEXT_H_

#include <nlohmann/json.hpp>
#include <string>

#include "absl/status/statusor.h"

namespace rdmalab {

// InvalidArgument with the byte offset and what is wrong there.
absl::StatusOr<nlohmann::json> ParseJson(const std::string& text);

// One line without a line break. Text that is not UTF-8 is written with replacement characters,
// never an error: names of foreign things end up in records.
std::string JsonLine(const nlohmann::json& value);

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_BASE_JSON_TEXT_H_
