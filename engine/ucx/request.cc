#include "engine/ucx/request.h"

#include <atomic>

#include "engine/ucx/status.h"

namespace rdmalab::ucx {
namespace {

std::atomic<uint64_t> abandoned_requests = 0;

}  // namespace

absl::Status Request::status() const {
  const ucs_status_t status = outcome();
  if (status == UCS_INPROGRESS) return absl::InternalError("the request has not completed");
  return PeerToStatus(status, call_);
}

uint64_t Request::abandoned() { return abandoned_requests.load(std::memory_order_relaxed); }

void Request::CountAndForget() {
  abandoned_requests.fetch_add(1, std::memory_order_relaxed);
  Forget();  // UCX keeps a freed request until it completes
}

}  // namespace rdmalab::ucx
