// The one place where what libibverbs and librdmacm report becomes an absl::Status: device, call,
// size, errno and what to do.
//
// Codes: memory and limits are ResourceExhausted; a missing device or driver Unimplemented (exit
// code 5); an argument that the device refuses InvalidArgument; what a lost peer causes
// Unavailable.
#ifndef RDMALAB_ENGINE_VERBS_STATUS_H_
#define RDMALAB_ENGINE_VERBS_STATUS_H_

#include <infiniband/verbs.h>

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace rdmalab::verbs {

// `call` as "ibv_reg_mr", `object` as "4 MiB on rxe0": "ibv_reg_mr(4 MiB on rxe0): Cannot allocate
// memory (errno 12); raise the limit of locked memory (ulimit -l)". `error` 0 gives OkStatus.
absl::Status ErrnoToStatus(int error, absl::string_view call, absl::string_view object);

// What a work completion said, for the record of a failed cell.
struct CompletionFacts {
  std::string wc_status;  // "IBV_WC_REM_ACCESS_ERR"
  uint32_t vendor_error = 0;
  std::string advice;
};

// A completion that failed; `object` names queue pair and device. The facts travel with the status.
absl::Status CompletionToStatus(ibv_wc_status status, uint32_t vendor_error,
                                absl::string_view object);

// Those facts, of a status made by CompletionToStatus.
std::optional<CompletionFacts> CompletionFactsOf(const absl::Status& status);

}  // namespace rdmalab::verbs

#endif  // RDMALAB_ENGINE_VERBS_STATUS_H_
