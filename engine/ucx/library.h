// Which UCX this process runs with, and what it was told by its environment. Used by the
// self-description.
#ifndef RDMALAB_ENGINE_UCX_LIBRARY_H_
#define RDMALAB_ENGINE_UCX_LIBRARY_H_

#include <map>
#include <optional>
#include <string>

namespace rdmalab::ucx {

struct LibraryFacts {
  std::string header_version;   // "1.22", of the headers that the engine was compiled with
  std::string runtime_version;  // "1.20.1", of the library that the loader found
  std::string library_path;     // of libucp, symbolic links resolved
  // <prefix>/etc/ucx/ucx.conf of the loaded library, or $UCX_CONFIG_DIR/ucx.conf; nothing when
  // there is none to read.
  std::optional<std::string> conf_path;
};

LibraryFacts ReadLibraryFacts();

// Every UCX_* variable that this process sees, name to value.
std::map<std::string, std::string> UcxEnvironment();

}  // namespace rdmalab::ucx

#endif  // RDMALAB_ENGINE_UCX_LIBRARY_H_
