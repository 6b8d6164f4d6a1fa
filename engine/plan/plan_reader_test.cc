#include "engine/plan/plan_reader.h"

#include <limits>
#include <random>

#include "engine/base/file.h"
#include "engine/testing/example_plan.h"
#include "engine/testing/temporary_folder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace rdmalab {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

// The message of the InvalidArgument that `plan` is refused with.
std::string ErrorOf(const json& plan) {
  const absl::Status status = ParsePlan(CanonicalText(plan)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  return std::string(status.message());
}

// `value` at `pointer` of the example, e.g. "/arms/0/depth".
json With(const std::string& pointer, const json& value) {
  json plan = ExamplePlanJson();
  plan[json::json_pointer(pointer)] = value;
  return plan;
}

TEST(PlanReader, ReadsEveryField) {
  json source = ExamplePlanJson();
  source["arms"][0]["read"] = "get_into";
  source["arms"][0]["progress"] = "thread";
  source["arms"][0]["proof"]["protocols"] = {"zero-copy"};
  source["arms"][1]["via"] = "tcp";
  source["arms"][1]["kill_switch"] = true;
  const Plan plan = PlanOf(source);

  EXPECT_EQ(plan.experiment, "example");
  EXPECT_EQ(plan.seed, std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(plan.lane.env.at("UCX_TLS"), "tcp,self");
  EXPECT_THAT(plan.lane.accepts.at("get"), ElementsAre("software emulation"));
  EXPECT_THAT(plan.lane.transports, ElementsAre("tcp"));
  EXPECT_EQ(plan.lane.error_handling, ErrorHandling::kPeer);
  EXPECT_THAT(plan.sizes_bytes, ElementsAre(4096, 1052673));
  ASSERT_EQ(plan.arms.size(), 2);
  EXPECT_EQ(plan.arms[0].read, ReadMode::kGetInto);
  EXPECT_EQ(plan.arms[0].progress, ProgressMode::kThread);
  EXPECT_THAT(*plan.arms[0].proof.protocols, ElementsAre("zero-copy"));
  EXPECT_EQ(plan.arms[1].path, TransferPath::kChunked);
  EXPECT_EQ(plan.arms[1].via, Via::kTcp);
  EXPECT_EQ(plan.arms[1].min_bytes, 1052674);
  EXPECT_TRUE(plan.arms[1].kill_switch);
  EXPECT_FALSE(plan.arms[1].proof.protocols.has_value());
  ASSERT_EQ(plan.cells.size(), 4);
  EXPECT_EQ(plan.ArmOf(plan.CellAt(3)).name, "chunked");
  ASSERT_EQ(plan.blocks.size(), 4);
  EXPECT_EQ(plan.blocks[3].pair, 1);
  EXPECT_FALSE(plan.blocks[3].warmup);
  EXPECT_THAT(plan.blocks[3].cells, ElementsAre(2, 0, 3, 1));
  EXPECT_EQ(plan.limits.lease_ms, 30000);
}

TEST(PlanReader, TheDigestIsThatOfTheBytes) {
  const TemporaryFolder folder;
  const std::string path = folder.Path("plan.json");
  ASSERT_TRUE(WriteFileAtomically(path, CanonicalText(ExamplePlanJson())).ok());
  const absl::StatusOr<Plan> plan = ReadPlan(path);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->sha256, PlanOf(ExamplePlanJson()).sha256);
  EXPECT_NE(plan->sha256, PlanOf(With("/seed", 1)).sha256);
}

TEST(PlanReader, ErrorsNameFilePathAndValue) {
  const TemporaryFolder folder;
  const std::string path = folder.Path("plan.json");
  ASSERT_TRUE(WriteFileAtomically(path, CanonicalText(With("/arms/1/min_bytes", -1))).ok());
  EXPECT_EQ(ReadPlan(path).status(),
            absl::InvalidArgumentError(
                path + ": arms[1].min_bytes: -1: expected an integer of 0 to 1099511627777"));
  EXPECT_EQ(ReadPlan(folder.Path("none")).status().code(), absl::StatusCode::kNotFound);
}

TEST(PlanReader, RefusesAnotherFormatOrVersion) {
  EXPECT_EQ(ErrorOf(With("/version", 2)), "version: 2: this engine reads version 1");
  EXPECT_EQ(ErrorOf(With("/version", 1.0)), "version: 1.0: this engine reads version 1");
  EXPECT_EQ(ErrorOf(With("/format", "rdmalab.setup")),
            "format: \"rdmalab.setup\": expected \"rdmalab.plan\"");
  EXPECT_EQ(ErrorOf(json::object()), "format: missing");
  EXPECT_EQ(ErrorOf(json::array()), "the document: []: expected an object");
}

// Every field of the example, removed: each is needed, and the error says which.
void RemoveEachFieldOf(const json& value, const std::string& pointer) {
  for (const auto& [key, inner] : value.items()) {
    const std::string at = pointer + "/" + key;
    if (inner.is_structured() && pointer.find("/env") == std::string::npos) {
      RemoveEachFieldOf(inner, at);
    }
    if (!value.is_object() || pointer == "/lane/env" || pointer == "/lane/accepts") continue;
    json plan = ExamplePlanJson();
    plan[json::json_pointer(pointer)].erase(key);
    EXPECT_THAT(ErrorOf(plan), HasSubstr(key + ": missing")) << at;
  }
}

TEST(PlanReader, EveryFieldIsNeeded) { RemoveEachFieldOf(ExamplePlanJson(), ""); }

TEST(PlanReader, UnknownFieldsAreRefusedEverywhere) {
  for (const char* const object : {"", "/lane", "/lane/accepts", "/limits", "/arms/0",
                                   "/arms/0/layout", "/arms/0/proof", "/cells/1", "/blocks/2"}) {
    EXPECT_THAT(ErrorOf(With(std::string(object) + "/surprise", 1)),
                HasSubstr("surprise: 1: unknown field"))
        << object;
  }
}

// Each value of the example replaced by one of every other type.
void MistypeEachValueOf(const json& value, const std::string& pointer) {
  for (const auto& [key, inner] : value.items()) {
    const std::string at = pointer + "/" + key;
    if (inner.is_structured()) MistypeEachValueOf(inner, at);
    for (const json& wrong :
         {json("x!"), json(-7), json(1.5), json(json::array({json::object()}))}) {
      if (inner.type() == wrong.type()) continue;
      if (at == "/require" || at == "/verdicts") continue;
      ErrorOf(With(at, wrong));
    }
  }
}

TEST(PlanReader, ValuesOfAnotherTypeAreRefusedEverywhere) {
  MistypeEachValueOf(ExamplePlanJson(), "");
}

struct BadValue {
  const char* pointer;
  json value;
  const char* error;
};

class PlanReaderRefuses : public testing::TestWithParam<BadValue> {};

TEST_P(PlanReaderRefuses, WithPathAndReason) {
  EXPECT_THAT(ErrorOf(With(GetParam().pointer, GetParam().value)), HasSubstr(GetParam().error));
}

INSTANTIATE_TEST_SUITE_P(
    Values, PlanReaderRefuses,
    testing::Values(
        BadValue{"/engine", "magic", "engine: \"magic\": expected one of rendezvous, operations"},
        BadValue{"/pair", "hot", "pair: \"hot\": expected one of warm, cold"},
        BadValue{"/pairs", 0, "pairs: 0: expected"}, BadValue{"/reps", 0, "reps: 0: expected"},
        BadValue{"/seed", -1, "seed: -1: expected"},
        BadValue{"/sizes/0", 0, "sizes[0]: 0: expected bytes, 1 to"},
        BadValue{"/sizes/1", 4096, "sizes[1]: 4096: stands twice"},
        BadValue{"/sizes", json::array(), "sizes: []: expected at least one"},
        BadValue{"/arms", json::array(), "arms: []: expected at least one"},
        BadValue{"/blocks", json::array(), "blocks: []: expected at least one"},
        BadValue{"/arms/0/path", "rdm", "arms[0].path: \"rdm\": expected one of rdma, chunked"},
        BadValue{"/arms/0/chunk", 0, "arms[0].chunk: 0: expected"},
        BadValue{"/arms/0/depth", 0, "arms[0].depth: 0: expected"},
        BadValue{"/arms/0/name", "", "arms[0].name: \"\": expected a name"},
        BadValue{"/arms/0/name", "chunked", "arms[1].name: chunked: stands twice"},
        BadValue{"/arms/0/layout/blocks", 0, "arms[0].layout.blocks: 0: expected"},
        BadValue{"/arms/0/proof/protocols", json::array(), "arms[0].proof.protocols: []"},
        BadValue{"/lane/env/PATH", "/bin", "expected only UCX_* variables"},
        BadValue{"/limits/arena_bytes", 4294967296, "above registered_bytes"},
        BadValue{"/cells/0/arm", 2, "cells[0].arm: 2: there are 2 arms"},
        BadValue{"/cells/0/size", 5, "cells[0].size: 5: not among sizes"},
        BadValue{"/cells/1/size", 4096, "cells[1]: the same arm and size as an earlier cell"},
        BadValue{"/blocks/0/pair", 2, "blocks[0].pair: 2: there are 2 planned pairs"},
        BadValue{"/blocks/0/rep", 2, "blocks[0].rep: 2: there are 2 reps"},
        BadValue{"/blocks/1/rep", 0, "blocks[1]: pair 0 and rep 0 stand in an earlier block"},
        BadValue{"/blocks/0/cells", json::array(), "blocks[0].cells: empty"},
        BadValue{"/blocks/0/cells/3", 4, "blocks[0].cells[3]: 4: there are 4 cells"},
        BadValue{"/blocks/0/cells/3", 4294967296, "blocks[0].cells"},
        BadValue{"/pair", "cold", "blocks[0].cells: 4 cells: a cold pair runs one"}));

TEST(PlanReader, RefusesAnRdmaArmThatCouldNotBeOne) {
  EXPECT_THAT(
      ErrorOf(With("/arms/0/min_bytes", 4097)),
      HasSubstr("arms[0].min_bytes: 4097: above a payload of 4096 bytes, where the rdma arm "
                "'rdma' would be a chunked arm"));
  EXPECT_THAT(ErrorOf(With("/arms/0/kill_switch", true)), HasSubstr("arms[0].kill_switch: true"));
  EXPECT_THAT(ErrorOf(With("/arms/0/staging", "plain")), HasSubstr("arms[0].staging: plain"));
}

TEST(PlanReader, RefusesAChunkedArmThatWouldBeAnRdmaArm) {
  EXPECT_THAT(
      ErrorOf(With("/arms/1/min_bytes", 1052673)),
      HasSubstr("arms[1].min_bytes: 1052673: a payload of 1052673 bytes is at or above it"));
  const json makes_it_chunked = {{"kill_switch", true}, {"staging", "plain"}};
  for (const auto& [key, value] : makes_it_chunked.items()) {
    json plan = With("/arms/1/min_bytes", 0);
    plan["arms"][1][key] = value;
    EXPECT_TRUE(ParsePlan(CanonicalText(plan)).ok()) << key;
  }
}

TEST(PlanReader, AColdPlanHasAPairPerBlock) {
  json plan = With("/pair", "cold");
  plan["blocks"] = json::array();
  for (int i = 0; i < 4; ++i) {
    plan["blocks"].push_back({{"pair", i}, {"rep", i / 2}, {"warmup", false}, {"cells", {i % 2}}});
  }
  EXPECT_EQ(PlanOf(plan).blocks.size(), 4);
  plan["blocks"][3]["pair"] = 2;
  EXPECT_THAT(ErrorOf(plan), HasSubstr("blocks[3]: pair 2 stand in an earlier block"));
}

TEST(PlanReader, ReadsAPlanOfOperations) {
  json source = ExampleOperationsPlanJson();
  source["arms"][2]["peer"] = "perftest";
  source["blocks"][1]["peer"] = "perftest";
  const Plan plan = PlanOf(source);
  EXPECT_EQ(plan.engine, EngineKind::kOperations);
  EXPECT_EQ(plan.lane.backend, Backend::kUcx);
  EXPECT_THAT(plan.windows, ElementsAre(1, 8));
  ASSERT_EQ(plan.operation_arms.size(), 3);
  EXPECT_EQ(plan.operation_arms[2].op, OperationKind::kSend);
  EXPECT_EQ(plan.operation_arms[2].peer, "perftest");
  EXPECT_EQ(plan.operation_arms[0].working_set_bytes, 65536);
  EXPECT_EQ(plan.CellAt(1).window, 8);
  EXPECT_EQ(plan.blocks[1].peer, "perftest");
  EXPECT_FALSE(plan.blocks[0].peer.has_value());
}

std::string OperationsErrorWith(const std::string& pointer, const json& value) {
  json plan = ExampleOperationsPlanJson();
  plan[json::json_pointer(pointer)] = value;
  return ErrorOf(plan);
}

TEST(PlanReader, ALaneOverVerbsSaysWhoConnectsAndNothingToUcx) {
  json source = ExampleOperationsPlanJson();
  source["lane"].update({{"backend", "verbs"}, {"env", {{"RDMALAB_CONNECT", "rdmacm"}}}});
  EXPECT_EQ(PlanOf(source).lane.env.at("RDMALAB_CONNECT"), "rdmacm");
  source["lane"]["env"] = {{"UCX_TLS", "tcp"}};
  EXPECT_THAT(ErrorOf(source), HasSubstr("or RDMALAB_CONNECT over verbs"));
  EXPECT_THAT(OperationsErrorWith("/lane/env/RDMALAB_CONNECT", "rdmacm"),
              HasSubstr("expected only UCX_* variables"));
}

TEST(PlanReader, RefusesOperationsThatCannotBeMeasured) {
  EXPECT_EQ(OperationsErrorWith("/windows/0", 0),
            "windows[0]: 0: expected 1 to 1048576 operations in flight");
  EXPECT_EQ(OperationsErrorWith("/arms/2/recv_depth", 4),
            "arms[2].recv_depth: 4: below window 8: the sender would run ahead of the posted "
            "receives");
  EXPECT_EQ(OperationsErrorWith("/arms/0/working_set_bytes", 1000),
            "arms[0].working_set_bytes: 1000: a message of 4096 bytes is larger");
  EXPECT_EQ(OperationsErrorWith("/arms/0/signal_every", 2),
            "arms[0].signal_every: 2: above window 1: no completion would ever come");
  EXPECT_EQ(OperationsErrorWith("/arms/1/mode", "latency"),
            "cells[5].window: 8: latency is measured one operation at a time");
  EXPECT_EQ(OperationsErrorWith("/cells/3/window", 2), "cells[3].window: 2: not among windows");
  EXPECT_EQ(OperationsErrorWith("/cells/3/window", 1),
            "cells[3]: the same arm, size and window as an earlier cell");
  EXPECT_THAT(OperationsErrorWith("/lane/backend", "magic"), HasSubstr("lane.backend"));
  EXPECT_THAT(OperationsErrorWith("/arms/0/path", "rdma"), HasSubstr("arms[0]"));
}

TEST(PlanReader, SurvivesAnyChangedByte) {
  const std::string text = CanonicalText(ExamplePlanJson());
  std::mt19937 random(1);  // the same bytes each time
  for (int i = 0; i < 20'000; ++i) {
    std::string changed = text;
    changed[random() % changed.size()] = static_cast<char>(random());
    if (random() % 4 == 0) changed.resize(random() % changed.size());
    const absl::StatusOr<Plan> plan = ParsePlan(changed);
    if (plan.ok()) {
      EXPECT_NE(plan->sha256, "");
    } else {
      EXPECT_TRUE(absl::IsInvalidArgument(plan.status()) || absl::IsUnimplemented(plan.status()));
      EXPECT_NE(plan.status().message(), "");
    }
  }
}

}  // namespace
}  // namespace rdmalab
