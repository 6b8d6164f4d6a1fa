#include "engine/plan/plan_reader.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "engine/base/file.h"
#include "engine/base/json_object.h"
#include "engine/base/json_text.h"
#include "engine/base/sha256.h"
#include "engine/base/status.h"
#include "engine/plan/arm_reader.h"
#include "engine/plan/operation_arm_reader.h"
#include "engine/plan/plan_rules.h"

namespace rdmalab {
namespace {

constexpr char kFormat[] = "rdmalab.plan";
constexpr int kVersion = 1;
constexpr size_t kMaxPlanBytes = size_t{256} << 20;
constexpr int kMaxPairs = 10'000;
constexpr int kMaxReps = 1'000'000;
constexpr int64_t kMaxTimeoutMs = 3'600'000;
// Ids are checked against the lists they point into afterwards; this keeps them in an int.
constexpr int64_t kMaxId = std::numeric_limits<int>::max();

using nlohmann::json;

absl::StatusOr<Lane> ReadLane(const json& value, EngineKind engine) {
  JsonObject object(value, "lane");
  Lane lane;
  lane.name = object.String("name");
  lane.env = object.StringMap("env");
  lane.error_handling = ReadChoice<ErrorHandling>(object, "error_handling");
  lane.transports = object.Strings("transports");
  if (engine == EngineKind::kOperations) lane.backend = ReadChoice<Backend>(object, "backend");
  for (const auto& [name, unused] : lane.env) {
    const bool known = lane.backend == Backend::kVerbs ? name == "RDMALAB_CONNECT"
                                                       : absl::StartsWith(name, "UCX_");
    if (!known) object.Fail("env", "expected only UCX_* variables, or RDMALAB_CONNECT over verbs");
  }
  const json& accepts_value = object.Value("accepts");
  RETURN_IF_ERROR(object.Finish());

  JsonObject accepts(accepts_value, "lane.accepts");
  for (const Choice& operation : kChoices<Operation>) {
    if (accepts.Has(operation.name)) {
      lane.accepts[operation.name] = accepts.Strings(operation.name);
    }
  }
  RETURN_IF_ERROR(accepts.Finish());
  return lane;
}

absl::StatusOr<Limits> ReadLimits(const json& value) {
  JsonObject object(value, "limits");
  Limits limits;
  limits.registered_bytes = object.Integer("registered_bytes", 1, kMaxBytes);
  limits.arena_bytes = object.Integer("arena_bytes", 1, kMaxBytes);
  limits.get_timeout_ms = object.Integer("get_timeout_ms", 1, kMaxTimeoutMs);
  limits.exchange_timeout_ms = object.Integer("exchange_timeout_ms", 1, kMaxTimeoutMs);
  limits.lease_ms = object.Integer("lease_ms", 1, kMaxTimeoutMs);
  RETURN_IF_ERROR(object.Finish());
  return limits;
}

absl::StatusOr<Cell> ReadCell(const json& value, const std::string& path, EngineKind engine) {
  JsonObject object(value, path);
  Cell cell;
  cell.arm = static_cast<int>(object.Integer("arm", 0, kMaxId));
  cell.size_bytes = object.Integer("size", 1, kMaxBytes);
  if (engine == EngineKind::kOperations) {
    cell.window = static_cast<int>(object.Integer("window", 1, kMaxWindow));
  }
  RETURN_IF_ERROR(object.Finish());
  return cell;
}

absl::StatusOr<Block> ReadBlock(const json& value, const std::string& path) {
  JsonObject object(value, path);
  Block block;
  block.pair = static_cast<int>(object.Integer("pair", 0, kMaxId));
  block.rep = static_cast<int>(object.Integer("rep", 0, kMaxId));
  block.warmup = object.Bool("warmup");
  for (const json& cell : object.Array("cells")) {
    if (!cell.is_number_unsigned() || cell.get<uint64_t>() > static_cast<uint64_t>(kMaxId)) {
      object.Fail("cells", "expected cell ids");
      break;
    }
    block.cells.push_back(cell.get<int>());
  }
  if (object.Has("peer")) block.peer = object.String("peer");
  RETURN_IF_ERROR(object.Finish());
  return block;
}

absl::StatusOr<std::vector<int64_t>> ReadSizes(const json& values) {
  std::vector<int64_t> sizes;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!values[i].is_number_unsigned() || values[i].get<uint64_t>() < 1 ||
        values[i].get<uint64_t>() > static_cast<uint64_t>(kMaxBytes)) {
      return absl::InvalidArgumentError(absl::StrCat(
          IndexPath("sizes", i), ": ", JsonLine(values[i]), ": expected bytes, 1 to ", kMaxBytes));
    }
    sizes.push_back(values[i].get<int64_t>());
  }
  return sizes;
}

absl::StatusOr<std::vector<int>> ReadWindows(const json& values) {
  std::vector<int> windows;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!values[i].is_number_unsigned() || values[i].get<uint64_t>() < 1 ||
        values[i].get<uint64_t>() > static_cast<uint64_t>(kMaxWindow)) {
      return absl::InvalidArgumentError(absl::StrCat(IndexPath("windows", i), ": ",
                                                     JsonLine(values[i]), ": expected 1 to ",
                                                     kMaxWindow, " operations in flight"));
    }
    windows.push_back(values[i].get<int>());
  }
  return windows;
}

template <typename Element, typename ReadElement>
absl::StatusOr<std::vector<Element>> ReadAll(const json& values, const std::string& path,
                                             ReadElement read) {
  std::vector<Element> elements;
  elements.reserve(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    ASSIGN_OR_RETURN(Element element, read(values[i], IndexPath(path, i)));
    elements.push_back(std::move(element));
  }
  return elements;
}

// A list that a plan cannot do without.
const json& NonEmptyArray(JsonObject& document, const std::string& key) {
  const json& array = document.Array(key);
  if (document.ok() && array.empty()) document.Fail(key, "expected at least one");
  return array;
}

absl::StatusOr<EngineKind> ReadHeader(JsonObject& document) {
  if (document.String("format") != kFormat) {
    document.Fail("format", absl::StrCat("expected \"", kFormat, "\""));
  }
  const json& version = document.Value("version");
  if (document.ok() && !(version.is_number_integer() && version == kVersion)) {
    document.Fail("version", absl::StrCat("this engine reads version ", kVersion));
  }
  const auto engine = ReadChoice<EngineKind>(document, "engine");
  if (!document.ok()) return document.Finish();
  if (IsBuilt(engine)) return engine;
  return absl::UnimplementedError(
      absl::StrCat("engine: ", std::string(Name(engine)), ": not built in this engine"));
}

}  // namespace

absl::StatusOr<Plan> ParsePlan(const std::string& text) {
  ASSIGN_OR_RETURN(const json value, ParseJson(text));
  JsonObject document(value, "");
  Plan plan;
  ASSIGN_OR_RETURN(plan.engine, ReadHeader(document));
  const bool operations = plan.engine == EngineKind::kOperations;
  plan.sha256 = Sha256::HexOf(text);
  plan.experiment = document.String("experiment");
  plan.question = document.String("question");
  plan.pair = ReadChoice<PairKind>(document, "pair");
  plan.pairs = static_cast<int>(document.Integer("pairs", 1, kMaxPairs));
  plan.reps = static_cast<int>(document.Integer("reps", 1, kMaxReps));
  plan.order = ReadChoice<Order>(document, "order");
  plan.seed = document.Unsigned64("seed");
  plan.verify = document.Bool("verify");
  const json& lane = document.Value("lane");
  const json& limits = document.Value("limits");
  const json& sizes = NonEmptyArray(document, "sizes");
  const json no_windows = json::array();
  const json& windows = operations ? NonEmptyArray(document, "windows") : no_windows;
  const json& arms = NonEmptyArray(document, "arms");
  const json& cells = NonEmptyArray(document, "cells");
  const json& blocks = NonEmptyArray(document, "blocks");
  // What must hold before and what is concluded afterwards is the tool's business.
  document.Array("require");
  document.Array("verdicts");
  RETURN_IF_ERROR(document.Finish());

  ASSIGN_OR_RETURN(plan.lane, ReadLane(lane, plan.engine));
  ASSIGN_OR_RETURN(plan.limits, ReadLimits(limits));
  ASSIGN_OR_RETURN(plan.sizes_bytes, ReadSizes(sizes));
  ASSIGN_OR_RETURN(plan.windows, ReadWindows(windows));
  if (operations) {
    ASSIGN_OR_RETURN(plan.operation_arms, ReadAll<OperationArm>(arms, "arms", ReadOperationArm));
  } else {
    ASSIGN_OR_RETURN(plan.arms, ReadAll<Arm>(arms, "arms", ReadArm));
  }
  const auto read_cell = [&plan](const json& cell, const std::string& path) {
    return ReadCell(cell, path, plan.engine);
  };
  ASSIGN_OR_RETURN(plan.cells, ReadAll<Cell>(cells, "cells", read_cell));
  ASSIGN_OR_RETURN(plan.blocks, ReadAll<Block>(blocks, "blocks", ReadBlock));
  RETURN_IF_ERROR(CheckPlanRules(plan));
  return plan;
}

absl::StatusOr<Plan> ReadPlan(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kMaxPlanBytes));
  absl::StatusOr<Plan> plan = ParsePlan(text);
  if (!plan.ok()) return WithContext(plan.status(), path);
  return plan;
}

}  // namespace rdmalab
