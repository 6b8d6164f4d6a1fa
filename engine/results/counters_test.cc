#include "engine/results/counters.h"

#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace rdmalab {
namespace {

TEST(Counters, WriteOpenMetricsText) {
  Counters counters;
  counters.Get("rdmalab_transfers", "by path and reason", {{"path", "rdma"}, {"reason", "ok"}})
      .Add(3);
  counters.Get("rdmalab_transfers", "", {{"path", "chunked"}, {"reason", "get_failed"}}).Add(1);
  counters.Get("rdmalab_leases_reaped", "of consumers that were gone", {});
  EXPECT_EQ(counters.OpenMetricsText(),
            "# TYPE rdmalab_leases_reaped counter\n"
            "# HELP rdmalab_leases_reaped of consumers that were gone\n"
            "rdmalab_leases_reaped_total 0\n"
            "# TYPE rdmalab_transfers counter\n"
            "# HELP rdmalab_transfers by path and reason\n"
            "rdmalab_transfers_total{path=\"chunked\",reason=\"get_failed\"} 1\n"
            "rdmalab_transfers_total{path=\"rdma\",reason=\"ok\"} 3\n"
            "# EOF\n");
}

TEST(Counters, EscapeLabels) {
  Counters counters;
  counters.Get("c", "line\nbreak", {{"l", "a\"b\\c\nd"}});
  EXPECT_EQ(counters.OpenMetricsText(),
            "# TYPE c counter\n# HELP c line\\nbreak\nc_total{l=\"a\\\"b\\\\c\\nd\"} 0\n# EOF\n");
}

TEST(Counters, AreTheSameFromEveryThread) {
  Counters counters;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) counters.Get("c", "", {{"i", std::to_string(i % 10)}}).Add(1);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(counters.Get("c", "", {{"i", std::to_string(i)}}).value(), 400);
  }
}

}  // namespace
}  // namespace rdmalab
