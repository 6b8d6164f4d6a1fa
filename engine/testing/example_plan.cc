#include "engine/testing/example_plan.h"

#include "absl/status/statusor.h"
#include "engine/plan/plan_reader.h"
#include "gtest/gtest.h"

namespace rdmalab {
namespace {

using nlohmann::json;

constexpr int64_t kSmallBytes = 4096;
constexpr int64_t kLargeBytes = (1 << 20) + 4097;  // no multiple of anything

json LaneJson() {
  return {{"name", "tcp"},
          {"env", {{"UCX_TLS", "tcp,self"}}},
          {"error_handling", "peer"},
          {"accepts", {{"get", {"software emulation"}}}},
          {"transports", {"tcp"}}};
}

json CellsJson() {
  json cells = json::array();
  for (const int arm : {0, 1}) {
    for (const int64_t size : {kSmallBytes, kLargeBytes}) {
      cells.push_back({{"arm", arm}, {"size", size}});
    }
  }
  return cells;
}

json BlocksJson() {
  json blocks = json::array();
  for (const int pair : {0, 1}) {
    for (const int rep : {0, 1}) {
      blocks.push_back({{"pair", pair},
                        {"rep", rep},
                        {"warmup", rep == 0},
                        {"cells", rep == 0 ? json{0, 1, 2, 3} : json{2, 0, 3, 1}}});
    }
  }
  return blocks;
}

}  // namespace

json ExampleArmJson(const std::string& name) {
  return {{"name", name},
          {"path", "rdma"},
          {"op", "get"},
          {"read", "get"},
          {"via", "am"},
          {"copy", "after"},
          {"destination", "fresh"},
          {"staging", "pinned"},
          {"min_bytes", 0},
          {"chunk", 524288},
          {"depth", 1},
          {"piece", 262144},
          {"kill_switch", false},
          {"eager_endpoint", false},
          {"progress", "inline"},
          {"spin_us", 50},
          {"memory", "host"},
          {"layout", {{"blocks", 1}, {"block_size", nullptr}}},
          {"proof", {{"operation", "get"}, {"protocols", nullptr}}}};
}

json ExamplePlanJson() {
  json chunked = ExampleArmJson("chunked");
  chunked["path"] = "chunked";
  chunked["min_bytes"] = kLargeBytes + 1;
  return {{"format", "rdmalab.plan"},
          {"version", 1},
          {"experiment", "example"},
          {"question", "Does it work?"},
          {"engine", "rendezvous"},
          {"lane", LaneJson()},
          {"pair", "warm"},
          {"pairs", 2},
          {"reps", 2},
          {"order", "interleaved"},
          {"seed", 18446744073709551615ull},
          {"sizes", {kSmallBytes, kLargeBytes}},
          {"arms", {ExampleArmJson("rdma"), chunked}},
          {"cells", CellsJson()},
          {"blocks", BlocksJson()},
          {"limits",
           {{"registered_bytes", 2147483648},
            {"arena_bytes", 67108864},
            {"get_timeout_ms", 5000},
            {"exchange_timeout_ms", 5000},
            {"lease_ms", 30000}}},
          {"verify", true},
          {"require", json::array()},
          {"verdicts", json::array()}};
}

json ExampleOperationsPlanJson() {
  json plan = ExamplePlanJson();
  plan["engine"] = "operations";
  plan["lane"]["backend"] = "ucx";
  plan["pairs"] = 1;
  plan["sizes"] = {64, 4096};
  plan["windows"] = {1, 8};
  plan["arms"] = json::array();
  for (const char* op : {"read", "write", "send"}) {
    plan["arms"].push_back({{"name", op},
                            {"op", op},
                            {"mode", "rate"},
                            {"recv_depth", 128},
                            {"iterations", 0},
                            {"duration_ms", 5},
                            {"signal_every", 0},
                            {"inline_bytes", 0},
                            {"post_list", 0},
                            {"memory", "host"},
                            {"working_set_bytes", 65536},
                            {"peer", nullptr},
                            {"proof", {{"operation", op}, {"protocols", nullptr}}}});
  }
  plan["cells"] = json::array();
  json ids = json::array();
  for (const int arm : {0, 1, 2}) {
    for (const int64_t size : {64, 4096}) {
      for (const int window : {1, 8}) {
        ids.push_back(plan["cells"].size());
        plan["cells"].push_back({{"arm", arm}, {"size", size}, {"window", window}});
      }
    }
  }
  plan["blocks"] = {{{"pair", 0}, {"rep", 0}, {"warmup", true}, {"cells", ids}},
                    {{"pair", 0}, {"rep", 1}, {"warmup", false}, {"cells", ids}}};
  return plan;
}

std::string CanonicalText(const json& plan) {
  return plan.dump(-1, ' ', /*ensure_ascii=*/true) + "\n";
}

Plan PlanOf(const json& plan) {
  absl::StatusOr<Plan> parsed = ParsePlan(CanonicalText(plan));
  if (parsed.ok()) return *std::move(parsed);
  ADD_FAILURE() << "not a plan: " << parsed.status();
  return Plan{};
}

}  // namespace rdmalab
