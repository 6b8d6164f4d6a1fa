// What our own posting and draining costs per operation, without a device: a provider that
// completes at once. Run by hand; with callgrind for instructions:
//   valgrind --tool=callgrind --toggle-collect='*Spin*' poster_benchmark
//   --benchmark_filter=write/64
#include <benchmark/benchmark.h>

#include "engine/verbs/poster.h"
#include "engine/verbs/stand_in_provider.h"

namespace rdmalab::verbs {
namespace {

constexpr uint64_t kWindow = 64;

// Posts and drains one full window; what stands between two clock reads of a run, many times.
template <ibv_wr_opcode kOpcode, bool kInline>
void PostAndDrain(benchmark::State& state) {
  StandInProvider provider;
  const auto list = static_cast<uint64_t>(state.range(0));
  const auto every = static_cast<uint64_t>(state.range(1));
  Poster<kOpcode, kInline> poster({.pair = provider.pair(),
                                   .local_address = 4096,
                                   .remote_address = 4096,
                                   .bytes = 64,
                                   .stride = 64,
                                   .slots = size_t{1} << 20,
                                   .signal_every = every,
                                   .longest_list = list});
  Drainer drainer(provider.sends());
  uint64_t posted = 0;
  for (auto _ : state) {
    for (uint64_t i = 0; i < kWindow; i += list, posted += list) poster.Post(posted, list, false);
    benchmark::DoNotOptimize(drainer.Poll());
  }
  state.SetItemsProcessed(static_cast<int64_t>(posted));
  state.counters["ns_per_operation"] = benchmark::Counter(
      static_cast<double>(posted), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void Shapes(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"list", "signal_every"});
  for (const int64_t list : {1, 8, 32}) {
    for (const int64_t every : {1, 32}) benchmark->Args({list, every});
  }
}

BENCHMARK(PostAndDrain<IBV_WR_RDMA_WRITE, false>)->Apply(Shapes);
BENCHMARK(PostAndDrain<IBV_WR_RDMA_WRITE, true>)->Apply(Shapes);
BENCHMARK(PostAndDrain<IBV_WR_RDMA_READ, false>)->Apply(Shapes);
BENCHMARK(PostAndDrain<IBV_WR_SEND, false>)->Apply(Shapes);

}  // namespace
}  // namespace rdmalab::verbs

BENCHMARK_MAIN();
