#include "engine/rendezvous/lease_table.h"

#include "gtest/gtest.h"

namespace rdmalab {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

TEST(LeaseTable, AGrantedLeaseIsFoundUntilItsTimeIsUp) {
  LeaseTable table(5 * kSecond);
  const ReadLease lease = table.Grant(/*slot=*/3, /*generation=*/1, /*now_ns=*/0);
  ASSERT_NE(table.Find(lease.id, 1, 5 * kSecond - 1), nullptr);
  EXPECT_EQ(table.Find(lease.id, 1, 5 * kSecond - 1)->slot, 3u);
  EXPECT_EQ(table.Find(lease.id, 1, 5 * kSecond), nullptr) << "expired, though not reaped yet";
}

TEST(LeaseTable, RenewalCountsFromItsOwnInstant) {
  LeaseTable table(5 * kSecond);
  const ReadLease lease = table.Grant(0, 1, 0);
  EXPECT_TRUE(table.Renew(lease.id, 1, 4 * kSecond));
  EXPECT_NE(table.Find(lease.id, 1, 8 * kSecond), nullptr);
  EXPECT_FALSE(table.Renew(lease.id, 1, 9 * kSecond)) << "too late";
}

TEST(LeaseTable, AnotherGenerationIsStale) {
  LeaseTable table(5 * kSecond);
  const ReadLease lease = table.Grant(0, 1, 0);
  EXPECT_EQ(table.Find(lease.id, 2, 1), nullptr);
  EXPECT_FALSE(table.Renew(lease.id, 2, 1));
  EXPECT_FALSE(table.End(lease.id, 2, 1));
  EXPECT_EQ(table.size(), 1u);
}

TEST(LeaseTable, AnEndedLeaseIsGoneAndItsIdNeverReturns) {
  LeaseTable table(5 * kSecond);
  const ReadLease first = table.Grant(0, 1, 0);
  EXPECT_TRUE(table.End(first.id, 1, 1));
  EXPECT_FALSE(table.End(first.id, 1, 1));
  EXPECT_NE(table.Grant(0, 1, 2).id, first.id);
}

TEST(LeaseTable, TheReaperDropsWhatExpiredAndNothingElse) {
  LeaseTable table(5 * kSecond);
  table.Grant(/*slot=*/1, 1, 0);
  const ReadLease young = table.Grant(/*slot=*/2, 1, 3 * kSecond);
  EXPECT_EQ(table.Reap(4 * kSecond), 0u);
  EXPECT_EQ(table.Reap(5 * kSecond), 1u);
  EXPECT_EQ(table.OnSlot(1), 0u);
  EXPECT_EQ(table.OnSlot(2), 1u);
  EXPECT_NE(table.Find(young.id, 1, 5 * kSecond), nullptr);
}

}  // namespace
}  // namespace rdmalab
