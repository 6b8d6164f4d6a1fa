#include "engine/results/failure.h"

#include "engine/base/status.h"

namespace rdmalab {

Failure FailureOf(std::string_view phase, const absl::Status& status) {
  return {.phase = std::string(phase),
          .code = std::string(ErrorCodeName(status.code())),
          .text = std::string(status.message())};
}

nlohmann::ordered_json ToJson(const std::optional<Failure>& failure) {
  if (!failure.has_value()) return nullptr;
  return {{"phase", failure->phase}, {"code", failure->code}, {"text", failure->text}};
}

}  // namespace rdmalab
