#include "engine/ucx/library.h"

#include <dlfcn.h>
#include <ucp/api/ucp.h>
#include <ucs/config/parser.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "engine/ucx/printed.h"

extern char** environ;

namespace rdmalab::ucx {
namespace {

constexpr char kPrefix[] = "UCX_";

// "UCX_TLS=tcp" added to `variables`; anything that is not a UCX variable is left out.
void AddAssignment(absl::string_view line, std::map<std::string, std::string>& variables) {
  if (!absl::StartsWith(line, kPrefix)) return;
  const std::pair<std::string, std::string> assignment =
      absl::StrSplit(line, absl::MaxSplits('=', 1));
  variables.insert(assignment);
}

std::string LoadedLibraryPath() {
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(&ucp_get_version), &info) == 0) return "";
  std::error_code error;
  const std::filesystem::path path = std::filesystem::canonical(info.dli_fname, error);
  return error ? std::string(info.dli_fname) : path.string();
}

std::vector<std::string> ReadableConfPaths(const std::string& library_path) {
  namespace fs = std::filesystem;
  std::vector<fs::path> folders = {fs::path(library_path).parent_path().parent_path() / "etc/ucx"};
  if (const char* home = getenv("HOME"); home != nullptr) folders.emplace_back(home);
  if (const char* chosen = getenv("UCX_CONFIG_DIR"); chosen != nullptr)
    folders.emplace_back(chosen);
  std::error_code no_folder;
  folders.push_back(fs::current_path(no_folder));
  std::vector<std::string> readable;
  for (const fs::path& folder : folders) {
    const fs::path file = folder / "ucx.conf";
    if (access(file.c_str(), R_OK) == 0) readable.push_back(file.lexically_normal().string());
  }
  return readable;
}

}  // namespace

LibraryFacts ReadLibraryFacts() {
  LibraryFacts facts;
  facts.header_version = absl::StrCat(UCP_API_MAJOR, ".", UCP_API_MINOR);
  unsigned major = 0, minor = 0, release = 0;
  ucp_get_version(&major, &minor, &release);
  facts.runtime_version = absl::StrCat(major, ".", minor, ".", release);
  facts.library_path = LoadedLibraryPath();
  facts.conf_paths = ReadableConfPaths(facts.library_path);
  return facts;
}

std::map<std::string, std::string> ResolvedSettings() {
  // The function that `ucx_info -c` prints with. Releases before 1.20 have no filter parameter and
  // ignore it.
  const std::string text = PrintedBy([](FILE* stream) {
    ucs_config_parser_print_all_opts(stream, kPrefix, UCS_CONFIG_PRINT_CONFIG,
                                     &ucs_config_global_list, nullptr);
  });
  std::map<std::string, std::string> settings;
  for (absl::string_view line : absl::StrSplit(text, '\n')) AddAssignment(line, settings);
  return settings;
}

std::map<std::string, std::string> UcxEnvironment() {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    AddAssignment(*entry, variables);
  }
  return variables;
}

}  // namespace rdmalab::ucx
