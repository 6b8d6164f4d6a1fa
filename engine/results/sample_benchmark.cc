// What taking a sample costs: at most 60 ns, the clock reads included. Run it by hand.
//
// `Sample` is what lies between two repetitions that do nothing: the next sample of the buffer, its
// fields, the clock before and after. `Phases` cuts a get into four phases, as the rendezvous
// engine does; it reads the clock five times.
#include <array>

#include "benchmark/benchmark.h"
#include "engine/base/clock.h"
#include "engine/results/rendezvous_sample.h"
#include "engine/results/sample_buffer.h"

namespace rdmalab {
namespace {

constexpr size_t kBlock = 1000;

const Clock& BestClock() {
  static const Clock clock = Clock::Best();
  return clock;
}

void ClockRead(benchmark::State& state) {
  const Clock clock = BestClock();
  for (auto unused : state) benchmark::DoNotOptimize(clock.Now());
  state.SetLabel(std::string(clock.name()));
}

// The fields that are known before the repetition starts.
void Describe(RendezvousSample& sample, int64_t order) {
  sample.order = order;
  sample.arm = "rdma";
  sample.size_bytes = 4096;
  sample.op = "get";
  sample.path = sample.path_asked = "rdma";
  sample.reason = "ok";
}

void Sample(benchmark::State& state) {
  const Clock clock = BestClock();
  SampleBuffer<RendezvousSample> buffer(kBlock);
  int64_t order = 0;
  for (auto unused : state) {
    RendezvousSample& sample = buffer.Next();
    Describe(sample, ++order);
    sample.start_ns = clock.Now();
    sample.transfer_ns = clock.Now() - sample.start_ns;
    if (buffer.samples().size() < kBlock) continue;
    state.PauseTiming();
    buffer.Clear();
    state.ResumeTiming();
  }
}

void Phases(benchmark::State& state) {
  const Clock clock = BestClock();
  SampleBuffer<RendezvousSample> buffer(kBlock);
  int64_t order = 0;
  for (auto unused : state) {
    RendezvousSample& sample = buffer.Next();
    Describe(sample, ++order);
    std::array<int64_t, 5> cuts;
    for (int64_t& cut : cuts) cut = clock.Now();
    sample.start_ns = cuts[0];
    sample.wireup_ns = 0;
    sample.acquire_ns = cuts[1] - cuts[0];
    sample.transfer_ns = cuts[2] - cuts[1];
    sample.copy_ns = cuts[3] - cuts[2];
    sample.release_ns = cuts[4] - cuts[3];
    if (buffer.samples().size() < kBlock) continue;
    state.PauseTiming();
    buffer.Clear();
    state.ResumeTiming();
  }
}

BENCHMARK(ClockRead);
BENCHMARK(Sample);
BENCHMARK(Phases);

}  // namespace
}  // namespace rdmalab

BENCHMARK_MAIN();
