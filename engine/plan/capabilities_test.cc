#include "engine/plan/capabilities.h"

#include "engine/testing/example_plan.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace rdmalab {
namespace {

using nlohmann::json;

TEST(Capabilities, ListsWhatIsBuiltAndNothingElse) {
  const json described = Capabilities();
  EXPECT_EQ(described["format"], "rdmalab.capabilities");
  EXPECT_EQ(described["version"], 1);
  EXPECT_EQ(described["engines"], json({"rendezvous", "operations"}));
  EXPECT_EQ(described["pair"], json({"warm", "cold"}));
  EXPECT_EQ(described["arm"]["op"], json({"get"}));
  EXPECT_EQ(described["arm"]["read"], json({"get", "get_pinned", "get_into"}));
  EXPECT_EQ(described["arm"]["memory"], json({"host"}));
  EXPECT_EQ(described["layout"]["max_blocks"], 1);
}

// What the tool asks before it starts anything: every choice of a plan that runs is in the
// description.
TEST(Capabilities, CoverEveryChoiceOfAnArm) {
  const json described = Capabilities();
  const json arm = ExampleArmJson("rdma");
  for (const auto& [key, built] : described["arm"].items()) {
    ASSERT_TRUE(arm.contains(key)) << key;
    EXPECT_THAT(built.get<std::vector<std::string>>(), testing::Contains(arm[key])) << key;
  }
}

absl::Status CheckedWith(const char* key, const json& value) {
  json plan = ExamplePlanJson();
  plan["arms"][1][key] = value;
  return CheckBuilt(PlanOf(plan));
}

TEST(Capabilities, AValidChoiceThatIsNotBuiltIsRefusedByNameWithWhatIsThere) {
  EXPECT_EQ(CheckedWith("op", "put"),
            absl::UnimplementedError("arms[1].op: put: not built in this engine; it has get"));
  EXPECT_EQ(
      CheckedWith("memory", "cuda"),
      absl::UnimplementedError("arms[1].memory: cuda: not built in this engine; it has host"));
  EXPECT_EQ(CheckedWith("layout", {{"blocks", 2}, {"block_size", 2048}}),
            absl::UnimplementedError(
                "arms[1].layout.blocks: 2: not built in this engine; it has 1 to 1"));
}

TEST(Capabilities, TheExampleIsBuilt) { EXPECT_TRUE(CheckBuilt(PlanOf(ExamplePlanJson())).ok()); }

}  // namespace
}  // namespace rdmalab
