// A value that a line may lack, as JSON.
#ifndef RDMALAB_ENGINE_RESULTS_OR_NULL_H_
#define RDMALAB_ENGINE_RESULTS_OR_NULL_H_

#include <nlohmann/json.hpp>
#include <optional>

namespace rdmalab {

template <typename T>
nlohmann::ordered_json OrNull(const std::optional<T>& value) {
  return value.has_value() ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_RESULTS_OR_NULL_H_
