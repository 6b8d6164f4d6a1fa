// One element of plan.json's `arms` to an Arm. Used by plan_reader.cc.
#ifndef RDMALAB_ENGINE_PLAN_ARM_READER_H_
#define RDMALAB_ENGINE_PLAN_ARM_READER_H_

#include <nlohmann/json.hpp>
#include <string>

#include "absl/status/statusor.h"
#include "engine/base/json_object.h"
#include "engine/plan/choices.h"
#include "engine/plan/plan.h"

namespace rdmalab {

// No payload, chunk or budget is larger.
inline constexpr int64_t kMaxBytes = int64_t{1} << 40;

// `path` is where `value` stands, for errors.
absl::StatusOr<Arm> ReadArm(const nlohmann::json& value, const std::string& path);
// An arm's `proof`.
absl::StatusOr<Proof> ReadProof(const nlohmann::json& value, const std::string& path);

// A field whose value is one of a table's names.
template <PlanChoice Enum>
Enum ReadChoice(JsonObject& object, const std::string& key) {
  std::array<const char*, kChoices<Enum>.size()> names;
  for (size_t i = 0; i < names.size(); ++i) names[i] = kChoices<Enum>[i].name;
  return static_cast<Enum>(object.OneOf(key, names));
}

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_PLAN_ARM_READER_H_
