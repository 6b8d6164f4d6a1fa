#include "engine/ucx/log_file.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "engine/base/file.h"
#include "engine/base/status.h"

namespace rdmalab::ucx {
namespace {

constexpr char kLogFile[] = "UCX_LOG_FILE";
constexpr char kProtoInfo[] = "UCX_PROTO_INFO";

std::string Variable(const char* name) {
  const char* value = getenv(name);
  return value == nullptr ? "" : value;
}

// UCX takes its spellings of no and yes, `used` (whose tables come only when the worker is
// destroyed), `auto`, or a pattern of operations.
bool PrintsGetTables(const std::string& value) {
  const std::string lower = absl::AsciiStrToLower(value);
  for (const char* yes : {"y", "yes", "on", "1"}) {
    if (lower == yes) return true;
  }
  return absl::StrContains(lower, "get") || lower == "*";
}

}  // namespace

absl::Status CheckLogSetup() {
  if (const std::string value = Variable(kProtoInfo); !PrintsGetTables(value)) {
    return absl::FailedPreconditionError(
        absl::StrCat(kProtoInfo, "=", value,
                     ": without its table of a GET no lane can be proven; start the engine with ",
                     kProtoInfo, "=y or a pattern such as *ucp_get*"));
  }
  const std::string path = Variable(kLogFile);
  if (path.empty() || path == "stdout" || path == "stderr") {
    return absl::FailedPreconditionError(
        absl::StrCat(kLogFile, "=", path, ": start the engine with ", kLogFile,
                     "=FILE, one file per process, so that it can read its own protocol tables"));
  }
  if (access(path.c_str(), R_OK) != 0) {
    return absl::FailedPreconditionError(
        absl::StrCat(kLogFile, "=", path, ": UCX did not make this file; is its folder there?"));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> ReadOwnLog() {
  RETURN_IF_ERROR(CheckLogSetup());
  fflush(nullptr);
  return ReadFile(Variable(kLogFile));
}

}  // namespace rdmalab::ucx
