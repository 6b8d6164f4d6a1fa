#include "engine/arms/arm_link.h"

#include <utility>

#include "engine/base/status.h"

namespace rdmalab {

absl::Status ArmLink::Connect(ucx::Patience& patience) {
  Drop();
  ASSIGN_OR_RETURN(ucx::Endpoint endpoint,
                   ucx::Endpoint::Create(worker_, options_.owner_address,
                                         {.error_handling = options_.error_handling}));
  endpoint_ = std::make_unique<ucx::Endpoint>(std::move(endpoint));
  keys_.emplace(*endpoint_);
  if (options_.control_over_am) am_.emplace(inbox_, *endpoint_);
  return endpoint_->Flush(patience);
}

void ArmLink::Break() {
  if (endpoint_ != nullptr) (void)endpoint_->ForceClose();
}

absl::Status ArmLink::Close(ucx::Patience& patience) {
  am_.reset();
  keys_.reset();
  const absl::Status status = connected() ? endpoint_->Close(patience) : absl::OkStatus();
  Drop();
  return status;
}

void ArmLink::Drop() {
  am_.reset();
  keys_.reset();
  endpoint_.reset();
  inbox_.Clear();
}

}  // namespace rdmalab
