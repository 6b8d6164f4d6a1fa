#include "engine/results/process_facts.h"

#include <linux/capability.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "engine/base/cpu_affinity.h"
#include "engine/base/file.h"
#include "engine/base/sha256.h"
#include "engine/base/status.h"

namespace rdmalab {
namespace {

constexpr char kStatusFile[] = "/proc/self/status";
constexpr char kEffectiveCapabilities[] = "CapEff:";

// The effective set as the kernel prints it, a bit per capability.
absl::StatusOr<uint64_t> EffectiveCapabilities() {
  ASSIGN_OR_RETURN(const std::string status, ReadFile(kStatusFile));
  for (absl::string_view line : absl::StrSplit(status, '\n')) {
    if (!absl::ConsumePrefix(&line, kEffectiveCapabilities)) continue;
    uint64_t set = 0;
    if (absl::SimpleHexAtoi(line, &set)) return set;
  }
  return absl::InternalError(absl::StrCat(kStatusFile, ": no ", kEffectiveCapabilities));
}

absl::StatusOr<std::optional<uint64_t>> MemlockLimit() {
  rlimit limit = {};
  if (::getrlimit(RLIMIT_MEMLOCK, &limit) != 0) {
    const int error = errno;
    return absl::ErrnoToStatus(error, "getrlimit(RLIMIT_MEMLOCK)");
  }
  if (limit.rlim_cur == RLIM_INFINITY) return std::optional<uint64_t>();
  return std::optional<uint64_t>(limit.rlim_cur);
}

std::string HostName() {
  std::array<char, 256> name = {};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

}  // namespace

absl::StatusOr<ProcessFacts> ReadProcessFacts() {
  ProcessFacts facts;
  ASSIGN_OR_RETURN(facts.binary_sha256, Sha256::HexOfFile("/proc/self/exe"));
  facts.hostname = HostName();
  facts.pid = ::getpid();
  ASSIGN_OR_RETURN(facts.cpus_allowed, AllowedCpus());
  facts.kernel_page_bytes = ::sysconf(_SC_PAGESIZE);
  ASSIGN_OR_RETURN(facts.memlock_bytes, MemlockLimit());
  ASSIGN_OR_RETURN(const uint64_t capabilities, EffectiveCapabilities());
  facts.cap_ipc_lock = (capabilities >> CAP_IPC_LOCK & 1) != 0;
  return facts;
}

}  // namespace rdmalab
