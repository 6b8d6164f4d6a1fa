#include "engine/plan/operation_arm_reader.h"

#include "engine/base/json_object.h"
#include "engine/base/status.h"
#include "engine/plan/arm_reader.h"

namespace rdmalab {
namespace {

constexpr int64_t kMaxIterations = int64_t{1} << 40;
constexpr int64_t kMaxDurationMs = 3'600'000;
// No device takes more bytes inside a work request.
constexpr int64_t kMaxInlineBytes = 4096;

}  // namespace

absl::StatusOr<OperationArm> ReadOperationArm(const nlohmann::json& value,
                                              const std::string& path) {
  JsonObject object(value, path);
  OperationArm arm;
  arm.name = object.String("name");
  if (arm.name.empty()) object.Fail("name", "expected a name");
  arm.op = ReadChoice<OperationKind>(object, "op");
  arm.mode = ReadChoice<OperationMode>(object, "mode");
  arm.recv_depth = static_cast<int>(object.Integer("recv_depth", 1, kMaxWindow));
  arm.iterations = object.Integer("iterations", 0, kMaxIterations);
  arm.duration_ms = object.Integer("duration_ms", 1, kMaxDurationMs);
  arm.signal_every = static_cast<int>(object.Integer("signal_every", 0, kMaxWindow));
  arm.inline_bytes = object.Integer("inline_bytes", 0, kMaxInlineBytes);
  arm.post_list = static_cast<int>(object.Integer("post_list", 0, kMaxWindow));
  arm.memory = ReadChoice<BufferMemory>(object, "memory");
  arm.working_set_bytes = object.Integer("working_set_bytes", 1, kMaxBytes);
  if (!object.IsNull("peer")) arm.peer = object.String("peer");
  const nlohmann::json& proof = object.Value("proof");
  RETURN_IF_ERROR(object.Finish());
  ASSIGN_OR_RETURN(arm.proof, ReadProof(proof, object.PathOf("proof")));
  return arm;
}

}  // namespace rdmalab
