#include "engine/ucx/patience.h"

#include "engine/base/stop_signal.h"

namespace rdmalab::ucx {

bool Patience::Look() {
  if (!verdict_.ok()) return false;
  if (options_.heed_stop_signal) {
    verdict_ = StopSignal::Check();
    if (!verdict_.ok()) return false;
  }
  if (deadline_.Expired()) {
    verdict_ = absl::DeadlineExceededError("the deadline has passed");
    return false;
  }
  if (options_.liveness.look != nullptr && (!next_look_.has_value() || next_look_->Expired())) {
    verdict_ = options_.liveness.look(options_.liveness.self);
    next_look_.emplace(deadline_.AtMost(kBetweenLooks));
  }
  return verdict_.ok();
}

}  // namespace rdmalab::ucx
