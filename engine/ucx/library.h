// Which UCX this process runs with, and what it was told by its environment. Used by the
// self-description.
#ifndef RDMALAB_ENGINE_UCX_LIBRARY_H_
#define RDMALAB_ENGINE_UCX_LIBRARY_H_

#include <map>
#include <string>
#include <vector>

namespace rdmalab::ucx {

struct LibraryFacts {
  std::string header_version;   // "1.22", of the headers that the engine was compiled with
  std::string runtime_version;  // "1.20.1", of the library that the loader found
  std::string library_path;     // of libucp, symbolic links resolved
  // The ucx.conf files that UCX reads, in its order, so that a later one wins: <prefix>/etc/ucx,
  // the home folder, $UCX_CONFIG_DIR, the working folder. (One more stands in the library as it was
  // built and cannot be asked for; what all of them lead to is in ResolvedSettings.)
  std::vector<std::string> conf_paths;
};

LibraryFacts ReadLibraryFacts();

// Every setting of the library and its transports with its value in this process, UCX_NAME to
// value, defaults included: the environment and ucx.conf have been applied. Modules register theirs
// when they are loaded, so call it after a context was created.
std::map<std::string, std::string> ResolvedSettings();

// Every UCX_* variable that this process sees, name to value.
std::map<std::string, std::string> UcxEnvironment();

}  // namespace rdmalab::ucx

#endif  // RDMALAB_ENGINE_UCX_LIBRARY_H_
