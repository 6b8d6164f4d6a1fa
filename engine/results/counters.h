// Named counters that both sides keep and export as OpenMetrics text at the end of a process.
//
//   Counters counters;
//   Counter& ok = counters.Get("rdmalab_transfers", "transfers by path and reason",
//                              {{"role", "consumer"}, {"path", "rdma"}, {"reason", "ok"}});
//   ok.Add(1);                                              // any thread, no lock
//   WriteFileAtomically(path, counters.OpenMetricsText());
#ifndef RDMALAB_ENGINE_RESULTS_COUNTERS_H_
#define RDMALAB_ENGINE_RESULTS_COUNTERS_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace rdmalab {

class Counter {
 public:
  void Add(int64_t n) { value_.fetch_add(n, std::memory_order_relaxed); }
  int64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<int64_t> value_ = 0;
};

class Counters {
 public:
  using Labels = std::vector<std::pair<std::string, std::string>>;  // in the order to write

  // The counter of that name and labels, made on first use and at the same place from then on.
  // `name` has no "_total": the text adds it. Takes a lock: keep the reference in hot code. `help`
  // of the first use counts.
  Counter& Get(const std::string& name, const std::string& help, const Labels& labels);

  // All counters, by name and labels, ended by "# EOF".
  std::string OpenMetricsText() const;

 private:
  struct Family {
    std::string help;
    std::map<std::string, Counter>
        counters;  // by the labels as text; a map never moves its elements
  };

  mutable std::mutex mutex_;
  std::map<std::string, Family> families_;
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_RESULTS_COUNTERS_H_
