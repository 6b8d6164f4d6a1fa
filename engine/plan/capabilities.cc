#include "engine/plan/capabilities.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/base/json_object.h"
#include "engine/base/status.h"

namespace rdmalab {
namespace {

template <PlanChoice Enum>
std::vector<std::string> BuiltNames() {
  std::vector<std::string> names;
  for (const Choice& choice : kChoices<Enum>) {
    if (choice.built == Built::kBuilt) names.emplace_back(choice.name);
  }
  return names;
}

template <PlanChoice Enum>
absl::Status CheckChoice(const std::string& path, Enum value) {
  if (IsBuilt(value)) return absl::OkStatus();
  return absl::UnimplementedError(absl::StrCat(path, ": ", std::string(Name(value)),
                                               ": not built in this engine; it has ",
                                               absl::StrJoin(BuiltNames<Enum>(), ", ")));
}

// Calls `visit(key, value)` for each choice of an arm, so that the list of its choices stands in
// one place.
template <typename Visit>
void ForEachChoice(const Arm& arm, Visit visit) {
  visit("path", arm.path);
  visit("op", arm.op);
  visit("read", arm.read);
  visit("via", arm.via);
  visit("copy", arm.copy);
  visit("destination", arm.destination);
  visit("staging", arm.staging);
  visit("progress", arm.progress);
  visit("memory", arm.memory);
}

template <typename Visit>
void ForEachChoice(const OperationArm& arm, Visit visit) {
  visit("op", arm.op);
  visit("mode", arm.mode);
  visit("memory", arm.memory);
}

absl::Status CheckArm(const Arm& arm, const std::string& path) {
  absl::Status status;
  ForEachChoice(arm, [&](const char* key, auto value) {
    if (status.ok()) status = CheckChoice(absl::StrCat(path, ".", key), value);
  });
  RETURN_IF_ERROR(status);
  if (arm.layout.blocks > kMaxLayoutBlocks) {
    return absl::UnimplementedError(absl::StrCat(path, ".layout.blocks: ", arm.layout.blocks,
                                                 ": not built in this engine; it has 1 to ",
                                                 kMaxLayoutBlocks));
  }
  return absl::OkStatus();
}

}  // namespace

nlohmann::json Capabilities() {
  nlohmann::json arm;
  ForEachChoice(Arm{},
                [&](const char* key, auto value) { arm[key] = BuiltNames<decltype(value)>(); });
  nlohmann::json operation;
  ForEachChoice(OperationArm{}, [&](const char* key, auto value) {
    operation[key] = BuiltNames<decltype(value)>();
  });
  return {
      {"format", "rdmalab.capabilities"},
      {"version", 1},
      {"engine_version", kEngineVersion},
      {"engines", BuiltNames<EngineKind>()},
      {"pair", BuiltNames<PairKind>()},
      {"order", BuiltNames<Order>()},
      {"exchange", {"dir", "tcp"}},
      {"arm", arm},
      {"operation_arm", operation},
      {"backend", BuiltNames<Backend>()},
      {"layout", {{"max_blocks", kMaxLayoutBlocks}}},
  };
}

absl::Status CheckBuilt(const Plan& plan) {
  RETURN_IF_ERROR(CheckChoice("engine", plan.engine));
  RETURN_IF_ERROR(CheckChoice("pair", plan.pair));
  RETURN_IF_ERROR(CheckChoice("order", plan.order));
  for (size_t i = 0; i < plan.arms.size(); ++i) {
    RETURN_IF_ERROR(CheckArm(plan.arms[i], IndexPath("arms", i)));
  }
  return absl::OkStatus();
}

}  // namespace rdmalab
