#include "engine/operations/ucx_backend.h"

#include <utility>

#include "engine/base/status.h"
#include "engine/operations/ucx_link.h"
#include "engine/ucx/patience.h"

namespace rdmalab {

absl::StatusOr<std::unique_ptr<OperationLink>> UcxBackend::Open(Side side, const CellSpec& spec,
                                                                const WorkingSet& working_set,
                                                                OperationMemory& memory) {
  if (!memory.on_host() && spec.op == RemoteOperation::kSend) {
    return absl::UnimplementedError(
        "a send over UCX puts its messages into host memory only; lane verbs sends into a GPU's");
  }
  auto found = registered_.find(memory.address());
  if (found == registered_.end()) {
    ASSIGN_OR_RETURN(ucx::MappedMemory mapped,
                     ucx::MappedMemory::Create(options_.context, memory.address(), memory.bytes()));
    found = registered_.emplace(memory.address(), std::move(mapped)).first;
  }
  return UcxLink::Create({.backend = *this,
                          .side = side,
                          .spec = spec,
                          .working_set = working_set,
                          .memory = memory,
                          .registered = found->second,
                          .number = ++links_});
}

absl::StatusOr<ucx::Endpoint*> UcxBackend::Endpoint() {
  if (endpoint_.has_value() && endpoint_->failed()) endpoint_.reset();
  if (!endpoint_.has_value()) {
    ASSIGN_OR_RETURN(ucx::Endpoint endpoint,
                     ucx::Endpoint::Create(options_.worker, options_.peer_address,
                                           {.error_handling = options_.error_handling}));
    endpoint_.emplace(std::move(endpoint));
  }
  return &*endpoint_;
}

absl::Status UcxBackend::Close(const Deadline& deadline) {
  if (!endpoint_.has_value()) return absl::OkStatus();
  ucx::Patience patience(deadline, {.heed_stop_signal = false});
  return endpoint_->Close(patience);
}

}  // namespace rdmalab
