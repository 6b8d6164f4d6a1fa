// What a GET and an active-message round trip cost through this room, between two processes.
//
//   UCX_TLS=tcp LD_LIBRARY_PATH=<prefix>/lib get_benchmark
//   UCX_TLS=posix,cma LD_LIBRARY_PATH=<prefix>/lib get_benchmark
//
// Error handling is peer, or none where UCX_TLS has cma. To be compared with `ucx_perftest -t
// ucp_get` (and `-t ucp_am_lat`, which halves the round trip) on the same library.

#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "benchmark/benchmark.h"
#include "engine/base/aligned_buffer.h"
#include "engine/ucx/active_message.h"
#include "engine/ucx/context.h"
#include "engine/ucx/endpoint.h"
#include "engine/ucx/get.h"
#include "engine/ucx/memory.h"
#include "engine/ucx/remote_key.h"

namespace rdmalab::ucx {
namespace {

constexpr size_t kLargest = size_t{16} << 20;
constexpr unsigned kPing = 1;
constexpr unsigned kPong = 2;

// Benchmarks have no caller to tell.
template <typename T>
T OrDie(absl::StatusOr<T> value) {
  if (!value.ok()) {
    fprintf(stderr, "%s\n", value.status().ToString().c_str());
    exit(1);
  }
  return *std::move(value);
}

void PinTo(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  (void)sched_setaffinity(0, sizeof(set), &set);
}

void Send(int fd, const void* data, size_t bytes) {
  if (write(fd, data, bytes) != static_cast<ssize_t>(bytes)) exit(1);
}

void SendText(int fd, absl::string_view text) {
  const size_t bytes = text.size();
  Send(fd, &bytes, sizeof(bytes));
  Send(fd, text.data(), bytes);
}

void Read(int fd, void* data, size_t bytes) {
  if (read(fd, data, bytes) != static_cast<ssize_t>(bytes)) exit(1);
}

std::string ReadText(int fd) {
  size_t bytes = 0;
  Read(fd, &bytes, sizeof(bytes));
  std::string text(bytes, '\0');
  Read(fd, text.data(), bytes);
  return text;
}

struct Echo {
  Kept OnPing(const Arrival& arrival) {
    SendActiveMessageThen(arrival.reply_to, {.id = kPong, .header = arrival.header},
                          {[](void*, const absl::Status&) {}, nullptr});
    return Kept::kNo;
  }
};

// As ucx_perftest has it: a 4 KiB read that crosses a page costs a sixth more on shared memory.
AlignedBuffer PageAligned() {
  return OrDie(AlignedBuffer::Create({.bytes = kLargest, .populate = true}));
}

[[noreturn]] void RunOwner(int to_consumer) {
  PinTo(1);
  const Context context = OrDie(Context::Create({}));
  const Worker worker = OrDie(Worker::Create(context, {}));
  const AlignedBuffer source = PageAligned();
  const MappedMemory memory = OrDie(MappedMemory::Create(context, source.data(), source.size()));
  Echo echo;
  if (!SetHandler<&Echo::OnPing>(worker, kPing, &echo).ok()) exit(1);
  SendText(to_consumer, OrDie(worker.Address()));
  SendText(to_consumer, memory.packed_key());
  const uint64_t address = reinterpret_cast<uintptr_t>(source.data());
  Send(to_consumer, &address, sizeof(address));
  const pid_t parent = getppid();
  for (uint64_t i = 0;; ++i) {
    worker.Progress();
    if (i % 4096 == 0 && getppid() != parent) _exit(0);
  }
}

struct Consumer {
  Context context;
  Worker worker;
  AlignedBuffer destination;
  MappedMemory registered;
  Endpoint endpoint;
  uint64_t remote_address;
  RemoteKey key;
  uint64_t pongs = 0;

  Kept OnPong(const Arrival&) {
    ++pongs;
    return Kept::kNo;
  }
};
std::optional<Consumer> consumer;

// Made once: a Clock measures itself when it is made.
const Clock& TheClock() {
  static const Clock clock = Clock::Best();
  return clock;
}

Patience Long() { return Patience(Deadline::After(TheClock(), absl::Seconds(20))); }

// The median of single operations beside the mean: on a shared machine only that one means much.
class Median {
 public:
  Median() { samples_.reserve(size_t{1} << 20); }
  void Start() { start_ = clock_.Now(); }
  void Stop() {
    const int64_t end = clock_.Now();
    if (samples_.size() < samples_.capacity()) samples_.push_back(end - start_);
  }
  void Report(benchmark::State& state) {
    if (samples_.empty()) return;
    const auto middle = samples_.begin() + static_cast<std::ptrdiff_t>(samples_.size() / 2);
    std::nth_element(samples_.begin(), middle, samples_.end());
    state.counters["median_ns"] = static_cast<double>(*middle);
  }

 private:
  const Clock& clock_ = TheClock();
  int64_t start_ = 0;
  std::vector<int64_t> samples_;
};

void ReadInto(benchmark::State& state, const MappedMemory* registered) {
  const auto bytes = static_cast<size_t>(state.range(0));
  Median median;
  for (auto _ : state) {
    median.Start();
    Patience patience = Long();
    Request get = Get(consumer->endpoint, {.to = consumer->destination.data(),
                                           .bytes = bytes,
                                           .remote_address = consumer->remote_address,
                                           .key = consumer->key,
                                           .registered = registered});
    if (!consumer->endpoint.Finish(get, patience).ok()) state.SkipWithError("GET failed");
    median.Stop();
  }
  median.Report(state);
}

void GetUnregistered(benchmark::State& state) { ReadInto(state, nullptr); }
void GetRegistered(benchmark::State& state) { ReadInto(state, &consumer->registered); }

void PingPong(benchmark::State& state) {
  Median median;
  for (auto _ : state) {
    median.Start();
    const uint64_t before = consumer->pongs;
    Request ping = SendActiveMessage(consumer->endpoint.peer(),
                                     {.id = kPing, .header = "12345678", .want_reply = true});
    Patience patience = Long();
    if (!consumer->endpoint.Finish(ping, patience).ok()) state.SkipWithError("ping failed");
    while (consumer->pongs == before && patience.Spin()) consumer->worker.Progress();
    median.Stop();
  }
  median.Report(state);
}

BENCHMARK(GetUnregistered)->RangeMultiplier(16)->Range(4096, 1 << 24)->UseRealTime();
BENCHMARK(GetRegistered)->RangeMultiplier(16)->Range(4096, 1 << 24)->UseRealTime();
BENCHMARK(PingPong)->UseRealTime();

void Connect(int from_owner) {
  const char* transports = getenv("UCX_TLS");
  const bool shared = transports != nullptr && absl::StrContains(transports, "cma");
  Context context = OrDie(Context::Create({}));
  Worker worker = OrDie(Worker::Create(context, {}));
  AlignedBuffer destination = PageAligned();
  MappedMemory registered =
      OrDie(MappedMemory::Create(context, destination.data(), destination.size()));
  const std::string address = ReadText(from_owner);
  const std::string key = ReadText(from_owner);
  uint64_t remote_address = 0;
  Read(from_owner, &remote_address, sizeof(remote_address));
  Endpoint endpoint = OrDie(Endpoint::Create(
      worker, address, {.error_handling = shared ? ErrorHandling::kNone : ErrorHandling::kPeer}));
  RemoteKey unpacked = OrDie(RemoteKey::Unpack(endpoint, key));
  consumer.emplace(Consumer{std::move(context), std::move(worker), std::move(destination),
                            std::move(registered), std::move(endpoint), remote_address,
                            std::move(unpacked)});
  if (!SetHandler<&Consumer::OnPong>(consumer->worker, kPong, &*consumer).ok()) exit(1);
}

}  // namespace
}  // namespace rdmalab::ucx

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  int ends[2];
  if (pipe(ends) != 0) return 1;
  const pid_t owner = fork();  // before UCX makes anything that a fork would tear
  if (owner == 0) rdmalab::ucx::RunOwner(ends[1]);
  rdmalab::ucx::PinTo(0);
  rdmalab::ucx::Connect(ends[0]);
  benchmark::RunSpecifiedBenchmarks();
  rdmalab::ucx::consumer.reset();
  kill(owner, SIGKILL);
  waitpid(owner, nullptr, 0);
  return 0;
}
