// Does checking keep up with memory? Verify must run at 0.8 of memcmp's rate on 16 MiB or more;
// compare the rows of one size. Run it by hand with --benchmark_repetitions=9 and look at the
// medians.
#include <cstring>
#include <vector>

#include "benchmark/benchmark.h"
#include "engine/verification/payload.h"

namespace rdmalab {
namespace {

const Payload kPayload({.seed = 42, .slot = 3, .rep = 7});

std::vector<uint8_t> Filled(size_t bytes) {
  std::vector<uint8_t> memory(bytes);
  kPayload.Fill(absl::MakeSpan(memory));
  return memory;
}

void CountBytes(benchmark::State& state) {
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations()) * state.range(0));
}

void Memcmp(benchmark::State& state) {
  const std::vector<uint8_t> one = Filled(static_cast<size_t>(state.range(0)));
  const std::vector<uint8_t> other = one;
  for (auto unused : state) {
    benchmark::DoNotOptimize(std::memcmp(one.data(), other.data(), one.size()));
    benchmark::ClobberMemory();
  }
  CountBytes(state);
}

void Verify(benchmark::State& state) {
  const std::vector<uint8_t> memory = Filled(static_cast<size_t>(state.range(0)));
  for (auto unused : state) {
    if (!kPayload.Verify(memory).ok()) state.SkipWithError("not what was filled");
    benchmark::ClobberMemory();
  }
  CountBytes(state);
}

void Fill(benchmark::State& state) {
  std::vector<uint8_t> memory(static_cast<size_t>(state.range(0)));
  for (auto unused : state) {
    kPayload.Fill(absl::MakeSpan(memory));
    benchmark::ClobberMemory();
  }
  CountBytes(state);
}

BENCHMARK(Memcmp)->Arg(64 << 10)->Arg(16 << 20);
BENCHMARK(Verify)->Arg(64 << 10)->Arg(16 << 20);
BENCHMARK(Fill)->Arg(64 << 10)->Arg(16 << 20);

}  // namespace
}  // namespace rdmalab

BENCHMARK_MAIN();
