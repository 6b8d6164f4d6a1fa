#include "engine/base/log.h"

#include <unistd.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace rdmalab {
namespace {

void WriteLine(absl::string_view severity, absl::string_view name, absl::string_view text) {
  const std::string line =
      absl::StrCat(severity, " ", name, ": ", absl::StrReplaceAll(text, {{"\n", "\\n"}}), "\n");
  // A log that cannot be written must not end a measurement.
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace

void LogInfo(absl::string_view name, absl::string_view text) { WriteLine("I", name, text); }

void LogWarning(absl::string_view name, absl::string_view text) { WriteLine("W", name, text); }

void LogError(absl::string_view name, absl::string_view text) { WriteLine("E", name, text); }

}  // namespace rdmalab
