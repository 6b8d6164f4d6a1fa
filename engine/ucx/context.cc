#include "engine/ucx/context.h"

#include <cstdlib>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "engine/base/status.h"
#include "engine/ucx/library.h"
#include "engine/ucx/printed.h"
#include "engine/ucx/status.h"

namespace rdmalab::ucx {
namespace {

// The oldest API that has all we call; newer run times keep it.
constexpr unsigned kApiMajor = 1;
constexpr unsigned kApiMinor = 16;

struct ConfigDeleter {
  void operator()(ucp_config_t* config) const { ucp_config_release(config); }
};
using Config = std::unique_ptr<ucp_config_t, ConfigDeleter>;

absl::StatusOr<Config> ReadConfig(const std::map<std::string, std::string>& overrides) {
  ucp_config_t* raw = nullptr;
  RETURN_IF_ERROR(ToStatus(ucp_config_read(nullptr, nullptr, &raw), "ucp_config_read"));
  Config config(raw);
  for (const auto& [name, value] : overrides) {
    RETURN_IF_ERROR(ToStatus(ucp_config_modify(config.get(), name.c_str(), value.c_str()),
                             "ucp_config_modify", absl::StrCat(name, "=", value)));
  }
  return config;
}

// A lane that this machine does not have is a wrong lane (exit 3), not a fault of the engine.
absl::Status NoDevice(ucs_status_t status) {
  const auto value = [](const char* name) {
    const char* set = getenv(name);
    return absl::StrCat(name, "=", set == nullptr ? "(unset)" : set);
  };
  return absl::FailedPreconditionError(absl::StrCat(
      "ucp_init_version(", value("UCX_TLS"), " ", value("UCX_NET_DEVICES"),
      "): ", ucs_status_string(status),
      "; none of these transports has a device here, or this UCX was built without them"));
}

// The lines "#   md 1  :  component 1  tcp" of ucp_context_print_info, in the order of their
// numbers.
std::vector<std::string> ReadMemoryDomains(ucp_context_h context) {
  const std::string text =
      PrintedBy([context](FILE* stream) { ucp_context_print_info(context, stream); });
  std::vector<std::string> domains;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    const std::vector<absl::string_view> words =
        absl::StrSplit(line, absl::ByAnyChar("# \t"), absl::SkipEmpty());
    size_t index = 0;
    if (words.size() == 6 && words[0] == "md" && words[3] == "component" &&
        absl::SimpleAtoi(words[1], &index) && index == domains.size()) {
      domains.emplace_back(words[5]);
    }
  }
  return domains;
}

}  // namespace

absl::StatusOr<Context> Context::Create(const ContextOptions& options) {
  ASSIGN_OR_RETURN(const Config config, ReadConfig(options.overrides));
  ucp_params_t params = {};
  params.field_mask = UCP_PARAM_FIELD_FEATURES;
  params.features = UCP_FEATURE_RMA | UCP_FEATURE_AM;
  ucp_context_h raw = nullptr;
  const ucs_status_t status = ucp_init_version(kApiMajor, kApiMinor, &params, config.get(), &raw);
  if (status == UCS_ERR_NO_DEVICE) return NoDevice(status);
  RETURN_IF_ERROR(ToStatus(status, "ucp_init_version"));
  Handle handle(raw);
  std::vector<std::string> domains = ReadMemoryDomains(raw);
  if (domains.empty()) {
    return absl::InternalError("ucp_context_print_info: no memory domain in what it printed");
  }
  return Context(std::move(handle), ResolvedSettings(), std::move(domains));
}

std::vector<std::string> Context::DomainNames(uint64_t md_map) const {
  std::vector<std::string> names;
  for (size_t bit = 0; bit < 64; ++bit) {
    if (((md_map >> bit) & 1) == 0) continue;
    names.push_back(bit < memory_domains_.size() ? memory_domains_[bit]
                                                 : absl::StrCat("md[", bit, "]"));
  }
  return names;
}

bool Context::NicRegistered(uint64_t md_map) const {
  for (size_t bit = 0; bit < memory_domains_.size() && bit < 64; ++bit) {
    if (((md_map >> bit) & 1) != 0 && IsNicDomain(memory_domains_[bit])) return true;
  }
  return false;
}

bool Context::HasNic() const {
  for (const std::string& name : memory_domains_) {
    if (IsNicDomain(name)) return true;
  }
  return false;
}

bool IsNicDomain(const std::string& name) {
  static constexpr absl::string_view kWithinHost[] = {"self", "tcp",    "sysv",  "posix",    "cma",
                                                      "knem", "xpmem",  "cuda",  "gdr_copy", "rocm",
                                                      "ze_",  "rdmacm", "sockcm"};
  for (const absl::string_view prefix : kWithinHost) {
    if (absl::StartsWith(name, prefix)) return false;
  }
  return true;
}

}  // namespace rdmalab::ucx
