#include "engine/base/tick_counter.h"

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "engine/base/file.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace rdmalab {
namespace {

#if defined(__x86_64__)

constexpr char kClockSources[] =
    "/sys/devices/system/clocksource/clocksource0/available_clocksource";
constexpr unsigned int kPowerManagementLeaf = 0x80000007;
constexpr unsigned int kInvariantTscBit = 1u << 8;

absl::Status CounterIsInvariant() {
  unsigned int eax, ebx, ecx, edx = 0;
  if (__get_cpuid(kPowerManagementLeaf, &eax, &ebx, &ecx, &edx) == 0 ||
      (edx & kInvariantTscBit) == 0) {
    return absl::UnimplementedError(
        "the processor does not promise an invariant time-stamp counter");
  }
  return absl::OkStatus();
}

// The kernel takes the counter off this list when it finds it to differ between cores.
absl::Status KernelTrustsCounter() {
  const absl::StatusOr<std::string> sources = ReadFile(kClockSources);
  if (!sources.ok()) return absl::UnimplementedError(sources.status().message());
  if (!absl::StrContains(*sources, "tsc")) {
    return absl::UnimplementedError(
        "the kernel does not list the time-stamp counter as a clock source");
  }
  return absl::OkStatus();
}

#endif

}  // namespace

absl::Status TickCounterIsTrustworthy() {
#if defined(__x86_64__)
  absl::Status invariant = CounterIsInvariant();
  return invariant.ok() ? KernelTrustsCounter() : invariant;
#elif defined(__aarch64__)
  // The architecture promises one rate and one value for all cores.
  return absl::OkStatus();
#else
  return absl::UnimplementedError("no time-stamp counter is known for this architecture");
#endif
}

}  // namespace rdmalab
