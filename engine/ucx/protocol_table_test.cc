#include "engine/ucx/protocol_table.h"

#include "gtest/gtest.h"

namespace rdmalab::ucx {
namespace {

// The layout of 1.16 to 1.21: title and operation share a row.
constexpr char kTwoCellTitle[] = R"(
[1700000001.000001] [nodeX:77:0]   +--------------------------------+-----------------------------------------------------------+
[1700000001.000001] [nodeX:77:0]   | ucp_context_0 intra-node cfg#1 | remote memory read by ucp_get* into host memory from host |
[1700000001.000001] [nodeX:77:0]   +--------------------------------+-------------------------------------+---------------------+
[1700000001.000001] [nodeX:77:0]   |                         0..611 | copy-out                            | rc_verbs/rxe1:1     |
[1700000001.000001] [nodeX:77:0]   |                        612..2K | zero-copy                           | rc_verbs/rxe1:1     |
[1700000001.000001] [nodeX:77:0]   |                      2049..inf | (?) rendezvous zero-copy            | rc_verbs/rxe1:1     |
[1700000001.000001] [nodeX:77:0]   +--------------------------------+-------------------------------------+---------------------+
)";

// The layout of 1.22: a title row, an operation row, a header row.
constexpr char kThreeRowTitle[] = R"(
[1700000002.000001] [nodeX:78:0]   +--------+--------------------+-----------------------------+
[1700000002.000001] [nodeX:78:0]   | ucp_context_0 inter-node cfg#0                            |
[1700000002.000001] [nodeX:78:0]   | remote memory read by ucp_get* into host memory from host |
[1700000002.000001] [nodeX:78:0]   +--------+--------------------+-----------------------------+
[1700000002.000001] [nodeX:78:0]   | Range  |    Description     |           Config            |
[1700000002.000001] [nodeX:78:0]   +--------+--------------------+-----------------------------+
[1700000002.000001] [nodeX:78:0]   | 0..inf | software emulation | tcp/eth7                    |
[1700000002.000001] [nodeX:78:0]   +--------+--------------------+-----------------------------+
)";

ProtocolRow Row(uint64_t from, uint64_t to, const char* protocol, const char* config,
                bool estimate = false) {
  return {from, to, protocol, config, estimate};
}

TEST(ProtocolTableTest, ReadsTheLayoutOf116To121) {
  const auto tables = ParseProtocolTables(kTwoCellTitle);
  ASSERT_EQ(tables.size(), 1u);
  EXPECT_EQ(tables[0].operation, kPlainHostGet);
  EXPECT_EQ(tables[0].scope, Scope::kIntraNode);
  EXPECT_EQ(tables[0].context, "ucp_context_0");
  EXPECT_EQ(tables[0].pid, 77);
  ASSERT_EQ(tables[0].rows.size(), 3u);
  EXPECT_EQ(tables[0].rows[0], Row(0, 611, "copy-out", "rc_verbs/rxe1:1"));
  EXPECT_EQ(tables[0].rows[1], Row(612, 2048, "zero-copy", "rc_verbs/rxe1:1"));
  EXPECT_EQ(tables[0].rows[2], Row(2049, ProtocolRow::kInfinite, "rendezvous zero-copy",
                                   "rc_verbs/rxe1:1", /*estimate=*/true));
}

TEST(ProtocolTableTest, ReadsTheLayoutOf122) {
  const auto tables = ParseProtocolTables(kThreeRowTitle);
  ASSERT_EQ(tables.size(), 1u);
  EXPECT_EQ(tables[0].operation, kPlainHostGet);
  EXPECT_EQ(tables[0].scope, Scope::kInterNode);
  ASSERT_EQ(tables[0].rows.size(), 1u);
  EXPECT_EQ(tables[0].rows[0], Row(0, ProtocolRow::kInfinite, "software emulation", "tcp/eth7"));
}

TEST(ProtocolTableTest, ReadsACountColumn) {
  const auto tables = ParseProtocolTables(R"(
| ctx inter-node cfg#0                                                    |
| remote memory read by ucp_get* into host memory from host               |
+-------+---------+-----------+-------------------------------------------+
| Count |  Range  | Description | Config                                  |
+-------+---------+-----------+-------------------------------------------+
|    41 | 65..inf | zero-copy | rc_mlx5/mlx5_9:1/path0                    |
+-------+---------+-----------+-------------------------------------------+
)");
  ASSERT_EQ(tables.size(), 1u);
  ASSERT_EQ(tables[0].rows.size(), 1u);
  EXPECT_EQ(tables[0].rows[0],
            Row(65, ProtocolRow::kInfinite, "zero-copy", "rc_mlx5/mlx5_9:1/path0"));
  EXPECT_EQ(tables[0].pid, std::nullopt);
}

TEST(ProtocolTableTest, TellsOperationsScopesAndPrintersApartWhenTheirLinesMix) {
  // Two processes print at once, line by line.
  std::string mixed;
  const std::vector<std::string> texts = {kTwoCellTitle, kThreeRowTitle};
  size_t at[2] = {0, 0};
  while (at[0] < texts[0].size() || at[1] < texts[1].size()) {
    for (size_t i = 0; i < 2; ++i) {
      if (at[i] >= texts[i].size()) continue;
      const size_t end = texts[i].find('\n', at[i]) + 1;
      mixed += texts[i].substr(at[i], end - at[i]);
      at[i] = end;
    }
  }
  const auto tables = ParseProtocolTables(mixed);
  ASSERT_EQ(tables.size(), 2u);
  EXPECT_EQ(tables[0].pid, 77);
  EXPECT_EQ(tables[0].rows.size(), 3u);
  EXPECT_EQ(tables[1].pid, 78);
  EXPECT_EQ(tables[1].rows.size(), 1u);
}

TEST(ProtocolTableTest, KeepsTheMultiConfigurationApart) {
  std::string text = kTwoCellTitle;
  text.replace(text.find("ucp_get*"), 8, "ucp_get*(multi)");
  const auto tables = ParseProtocolTables(text);
  ASSERT_EQ(tables.size(), 1u);
  EXPECT_NE(tables[0].operation, kPlainHostGet);
}

TEST(ProtocolTableTest, AnOldTitleTellsNoScope) {
  const auto tables = ParseProtocolTables(
      "[1.0] [n:5:0]   | mpi ep_cfg[2] | tagged message by ucp_tag_send*() from host memory |\n"
      "[1.0] [n:5:0]   |          0..8 | eager short     | self/memory0                     |\n");
  ASSERT_EQ(tables.size(), 1u);
  EXPECT_EQ(tables[0].scope, Scope::kUnknown);
  EXPECT_EQ(tables[0].context, "mpi");
  EXPECT_EQ(tables[0].rows.size(), 1u);
}

TEST(ProtocolTableTest, OtherBoxesAndProseAreNoTables) {
  EXPECT_TRUE(ParseProtocolTables("").empty());
  EXPECT_TRUE(ParseProtocolTables("remote memory read by ucp_get* into host memory from host\n"
                                  "software emulation | tcp/lo\n")
                  .empty());
  EXPECT_TRUE(ParseProtocolTables("+------+--------+------+\n"
                                  "| Endpoint Config #0     |\n"
                                  "+------+--------+------+\n"
                                  "| Lane | Device | Type |\n"
                                  "+------+--------+------+\n"
                                  "|    0 | eth7   | self |\n"
                                  "+------+--------+------+\n")
                  .empty());
}

TEST(ProtocolTableTest, RowsOfABoxThatFollowsDoNotJoinTheTable) {
  const auto tables = ParseProtocolTables(std::string(kTwoCellTitle) +
                                          "[1.0] [nodeX:77:0]   +------+--------+------+\n"
                                          "[1.0] [nodeX:77:0]   |    0 | eth7   | self |\n");
  ASSERT_EQ(tables.size(), 1u);
  EXPECT_EQ(tables[0].rows.size(), 3u);
}

TEST(ProtocolTableTest, ACutTableKeepsItsWholeRows) {
  std::string text = kTwoCellTitle;
  text.resize(text.find("zero-copy") + 4);
  const auto tables = ParseProtocolTables(text);
  ASSERT_EQ(tables.size(), 1u);
  EXPECT_EQ(tables[0].rows.size(), 1u);
}

TEST(ProtocolTableTest, ReadsLinesWithTheLoggersOwnPrefix) {
  const auto tables = ParseProtocolTables(
      "[1.0] [n:5:0]  proto_debug.c:40  UCX  INFO  | p self cfg#2 | op by ucp_x* |\n"
      "[1.0] [n:5:0]  proto_debug.c:40  UCX  INFO  |         0..9 | short | self/memory |\n");
  ASSERT_EQ(tables.size(), 1u);
  EXPECT_EQ(tables[0].scope, Scope::kSelf);
  EXPECT_EQ(tables[0].rows.size(), 1u);
}

TEST(ProtocolTableTest, RowsWithoutAReadableRangeAreSkipped) {
  for (const char* range :
       {"", "x", "9..1", "-1", "1..", "..1", "99999999999999999999", "18014398509481985K"}) {
    const auto tables = ParseProtocolTables(std::string("| p self cfg#2 | op by ucp_x* |\n| ") +
                                            range + " | short | self/memory |\n");
    ASSERT_EQ(tables.size(), 1u) << range;
    EXPECT_TRUE(tables[0].rows.empty()) << range;
  }
}

}  // namespace
}  // namespace rdmalab::ucx
