// The one place where a UCX status becomes an absl::Status. Everything in this room that can fail
// ends here.
//
// Codes: resources and memory are ResourceExhausted; a time-out of UCX itself DeadlineExceeded;
// parameters and addresses InvalidArgument; what this build or device lacks Unimplemented. What a
// lost or reset peer causes is Unavailable, but only where a peer takes part: an I/O error of a
// registration is this machine's own.
#ifndef RDMALAB_ENGINE_UCX_STATUS_H_
#define RDMALAB_ENGINE_UCX_STATUS_H_

#include <ucs/type/status.h>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace rdmalab::ucx {

// `call` as "ucp_mem_map", `object` as "64 MiB at 0x7f00": the message is
// "ucp_mem_map(64 MiB at 0x7f00): cause". UCS_OK gives OkStatus.
absl::Status ToStatus(ucs_status_t status, absl::string_view call, absl::string_view object = "");

// The same for what an operation on an endpoint, or the endpoint itself, reports.
absl::Status PeerToStatus(ucs_status_t status, absl::string_view call);

}  // namespace rdmalab::ucx

#endif  // RDMALAB_ENGINE_UCX_STATUS_H_
