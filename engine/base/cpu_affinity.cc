#include "engine/base/cpu_affinity.h"

#include <sched.h>

#include <cerrno>
#include <memory>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace rdmalab {
namespace {

// More cores than any kernel is built for, so that the call cannot fail for a short mask.
constexpr int kMaxCpus = 16384;

struct CpuSetDeleter {
  void operator()(cpu_set_t* set) const { CPU_FREE(set); }
};

}  // namespace

absl::StatusOr<std::vector<int>> AllowedCpus() {
  const std::unique_ptr<cpu_set_t, CpuSetDeleter> set(CPU_ALLOC(kMaxCpus));
  const size_t bytes = CPU_ALLOC_SIZE(kMaxCpus);
  if (::sched_getaffinity(0, bytes, set.get()) != 0) {
    const int error = errno;
    return absl::ErrnoToStatus(error, absl::StrCat("sched_getaffinity(", kMaxCpus, " cpus)"));
  }
  std::vector<int> cpus;
  for (int cpu = 0; cpu < kMaxCpus; ++cpu) {
    if (CPU_ISSET_S(static_cast<size_t>(cpu), bytes, set.get())) cpus.push_back(cpu);
  }
  return cpus;
}

}  // namespace rdmalab
