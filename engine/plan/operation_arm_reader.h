// One element of an operations plan's `arms` to an OperationArm. Used by plan_reader.cc.
#ifndef RDMALAB_ENGINE_PLAN_OPERATION_ARM_READER_H_
#define RDMALAB_ENGINE_PLAN_OPERATION_ARM_READER_H_

#include <nlohmann/json.hpp>
#include <string>

#include "absl/status/statusor.h"
#include "engine/plan/plan.h"

namespace rdmalab {

// No queue of any device is deeper.
inline constexpr int64_t kMaxWindow = 1 << 20;

// `path` is where `value` stands, for errors.
absl::StatusOr<OperationArm> ReadOperationArm(const nlohmann::json& value, const std::string& path);

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_PLAN_OPERATION_ARM_READER_H_
