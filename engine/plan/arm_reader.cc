#include "engine/plan/arm_reader.h"

#include "engine/base/status.h"

namespace rdmalab {
namespace {

constexpr int kMaxDepth = 1024;
constexpr int64_t kMaxSpinUs = 1'000'000;
constexpr int64_t kMaxLayoutBlocksAsked = 1 << 20;

absl::StatusOr<Layout> ReadLayout(const nlohmann::json& value, const std::string& path) {
  JsonObject object(value, path);
  Layout layout;
  layout.blocks = object.Integer("blocks", 1, kMaxLayoutBlocksAsked);
  if (!object.IsNull("block_size")) {
    layout.block_size_bytes = object.Integer("block_size", 1, kMaxBytes);
  }
  RETURN_IF_ERROR(object.Finish());
  return layout;
}

}  // namespace

absl::StatusOr<Proof> ReadProof(const nlohmann::json& value, const std::string& path) {
  JsonObject object(value, path);
  Proof proof;
  proof.operation = ReadChoice<Operation>(object, "operation");
  if (!object.IsNull("protocols")) {
    proof.protocols = object.Strings("protocols");
    if (proof.protocols->empty()) object.Fail("protocols", "expected null or at least one");
  }
  RETURN_IF_ERROR(object.Finish());
  return proof;
}

absl::StatusOr<Arm> ReadArm(const nlohmann::json& value, const std::string& path) {
  JsonObject object(value, path);
  Arm arm;
  arm.name = object.String("name");
  if (arm.name.empty()) object.Fail("name", "expected a name");
  arm.path = ReadChoice<TransferPath>(object, "path");
  arm.op = ReadChoice<Operation>(object, "op");
  arm.read = ReadChoice<ReadMode>(object, "read");
  arm.via = ReadChoice<Via>(object, "via");
  arm.copy = ReadChoice<CopyMode>(object, "copy");
  arm.destination = ReadChoice<Destination>(object, "destination");
  arm.staging = ReadChoice<Staging>(object, "staging");
  // One more than the largest payload is what `above_largest` becomes.
  arm.min_bytes = object.Integer("min_bytes", 0, kMaxBytes + 1);
  arm.chunk_bytes = object.Integer("chunk", 1, kMaxBytes);
  arm.depth = static_cast<int>(object.Integer("depth", 1, kMaxDepth));
  arm.piece_bytes = object.Integer("piece", 1, kMaxBytes);
  arm.kill_switch = object.Bool("kill_switch");
  arm.eager_endpoint = object.Bool("eager_endpoint");
  arm.progress = ReadChoice<ProgressMode>(object, "progress");
  arm.spin_us = object.Integer("spin_us", 0, kMaxSpinUs);
  arm.memory = ReadChoice<MemoryKind>(object, "memory");
  const nlohmann::json& layout_value = object.Value("layout");
  const nlohmann::json& proof_value = object.Value("proof");
  RETURN_IF_ERROR(object.Finish());

  ASSIGN_OR_RETURN(arm.layout, ReadLayout(layout_value, object.PathOf("layout")));
  ASSIGN_OR_RETURN(arm.proof, ReadProof(proof_value, object.PathOf("proof")));
  return arm;
}

}  // namespace rdmalab
