#include "engine/sampling/block_ids.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace rdmalab {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(BlockIds, ReadsIdsAndRanges) {
  EXPECT_THAT(*ParseBlockIds("0-3,7,9-9", 10), ElementsAre(0, 1, 2, 3, 7, 9));
  EXPECT_THAT(*ParseBlockIds("5", 6), ElementsAre(5));
}

TEST(BlockIds, RefusesWhatIsNoList) {
  for (const char* const bad :
       {"", ",", "1,", "1--2", "-1", "1-", "a", "1 ", "+1", "0x1", "1-2-3", "99999999999", "1;2"}) {
    EXPECT_THAT(std::string(ParseBlockIds(bad, 100).status().message()),
                HasSubstr("expected a block id or a range such as 0-19"))
        << "'" << bad << "'";
  }
}

TEST(BlockIds, RefusesFallingRepeatedAndUnknownIds) {
  for (const char* const bad : {"3-1", "1,1", "1-3,2", "5,4"}) {
    EXPECT_THAT(std::string(ParseBlockIds(bad, 100).status().message()),
                HasSubstr("block ids must rise, each once"))
        << bad;
  }
  EXPECT_EQ(ParseBlockIds("0-10", 10).status(),
            absl::InvalidArgumentError("\"0-10\": the plan has blocks 0 to 9"));
  // A range that long must be refused before it is expanded.
  EXPECT_FALSE(ParseBlockIds("0-2147483647", 10).ok());
}

}  // namespace
}  // namespace rdmalab
