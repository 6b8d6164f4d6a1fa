// The log that UCX writes for this process: where the protocol tables of its GETs appear.
//
// UCX reads its log settings when the library is loaded, so UCX_LOG_FILE (one per process) and
// UCX_PROTO_INFO stand in the environment before the engine starts; the tool sets both, and the
// engine only checks. UCX writes the file through a buffered C stream and has no public call to
// flush it; fflush of all streams does.
//
// UCX_PROTO_INFO=y prints the tables of every operation while an endpoint is made (about 0.15 ms on
// shared memory); a pattern such as *ucp_get* prints only the one that counts.
#ifndef RDMALAB_ENGINE_UCX_LOG_FILE_H_
#define RDMALAB_ENGINE_UCX_LOG_FILE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace rdmalab::ucx {

// OK when the protocol tables of this process will be found: both variables are set and the file is
// there. Else FailedPrecondition, naming the variable. Call it at start, after the context was
// created.
absl::Status CheckLogSetup();

// All that UCX has logged so far. Not for timed parts.
absl::StatusOr<std::string> ReadOwnLog();

}  // namespace rdmalab::ucx

#endif  // RDMALAB_ENGINE_UCX_LOG_FILE_H_
