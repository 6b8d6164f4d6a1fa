#include "engine/sampling/schedule.h"

#include "engine/testing/example_plan.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace rdmalab {
namespace {

using nlohmann::json;
using testing::ElementsAre;

// The values of `field` over all repetitions.
template <typename T>
std::vector<T> Each(const Schedule& schedule, T Repetition::*field) {
  std::vector<T> values;
  for (const ScheduledBlock& block : schedule.blocks()) {
    for (const Repetition& repetition : block.repetitions) values.push_back(repetition.*field);
  }
  return values;
}

TEST(Schedule, RunsTheBlocksInThePlansOrder) {
  const absl::StatusOr<Schedule> schedule = Schedule::Create(PlanOf(ExamplePlanJson()), {0, 1});
  ASSERT_TRUE(schedule.ok()) << schedule.status();
  EXPECT_THAT(Each(*schedule, &Repetition::cell), ElementsAre(0, 1, 2, 3, 2, 0, 3, 1));
  EXPECT_THAT(Each(*schedule, &Repetition::order), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_EQ(schedule->blocks()[1].id, 1);
  EXPECT_EQ(schedule->blocks()[1].rep, 1);
  EXPECT_EQ(schedule->repetitions(), 8);
  EXPECT_EQ(schedule->largest_block(), 4);
  EXPECT_EQ(schedule->planned_pair(), 0);
  EXPECT_THAT(schedule->arms(), ElementsAre(0, 1));
}

TEST(Schedule, FlagsWarmupsAndEachArmsFirstTransfer) {
  const Schedule schedule = *Schedule::Create(PlanOf(ExamplePlanJson()), {0, 1});
  EXPECT_THAT(Each(schedule, &Repetition::warmup),
              ElementsAre(true, true, true, true, false, false, false, false));
  EXPECT_THAT(Each(schedule, &Repetition::first),
              ElementsAre(true, false, true, false, false, false, false, false));
}

// A resumed pair starts in the middle of the plan, but its processes are new.
TEST(Schedule, ALaterBlockAloneStartsCold) {
  const Schedule schedule = *Schedule::Create(PlanOf(ExamplePlanJson()), {3});
  EXPECT_EQ(schedule.planned_pair(), 1);
  EXPECT_THAT(Each(schedule, &Repetition::warmup), ElementsAre(true, true, true, true));
  EXPECT_THAT(Each(schedule, &Repetition::first), ElementsAre(true, true, false, false));
  EXPECT_THAT(Each(schedule, &Repetition::order), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(schedule.arms(), ElementsAre(1, 0));
}

TEST(Schedule, ThePlansWarmupStandsAlsoForACellSeenBefore) {
  json plan = ExamplePlanJson();
  plan["blocks"][1]["warmup"] = true;
  const Schedule schedule = *Schedule::Create(PlanOf(plan), {0, 1});
  EXPECT_THAT(Each(schedule, &Repetition::warmup), testing::Each(true));
}

TEST(Schedule, AColdBlocksTransferIsItsMeasurement) {
  json plan = ExamplePlanJson();
  plan["pair"] = "cold";
  plan["blocks"] = {{{"pair", 0}, {"rep", 0}, {"warmup", false}, {"cells", {3}}}};
  const Schedule schedule = *Schedule::Create(PlanOf(plan), {0});
  EXPECT_THAT(Each(schedule, &Repetition::warmup), ElementsAre(false));
  EXPECT_THAT(Each(schedule, &Repetition::first), ElementsAre(true));
}

TEST(Schedule, RefusesBlocksOfTwoPairs) {
  EXPECT_EQ(Schedule::Create(PlanOf(ExamplePlanJson()), {0, 1, 2}).status(),
            absl::InvalidArgumentError(
                "blocks 0 and 2 are of planned pairs 0 and 1: one pair runs one of them"));
  EXPECT_FALSE(Schedule::Create(PlanOf(ExamplePlanJson()), {}).ok());
}

}  // namespace
}  // namespace rdmalab
