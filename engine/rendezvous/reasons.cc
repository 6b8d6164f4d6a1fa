#include "engine/rendezvous/reasons.h"

#include "absl/strings/string_view.h"

namespace rdmalab {

absl::string_view Name(Refusal refusal) {
  switch (refusal) {
    case Refusal::kNone:
      return "none";
    case Refusal::kKillSwitch:
      return "kill_switch";
    case Refusal::kBelowMin:
      return "below_min";
    case Refusal::kNotConfigured:
      return "not_configured";
    case Refusal::kDraining:
      return "draining";
    case Refusal::kNotPinned:
      return "not_pinned";
    case Refusal::kNoOffer:
      return "no_offer";
  }
  return "unknown";
}

absl::string_view Name(Reason reason) {
  switch (reason) {
    case Reason::kOk:
      return "ok";
    case Reason::kDecodeError:
      return "decode_error";
    case Reason::kPoolExhausted:
      return "pool_exhausted";
    case Reason::kGetFailed:
      return "get_failed";
    case Reason::kKillSwitch:
      return "kill_switch";
  }
  return "unknown";
}

absl::string_view Name(StagingReason reason) {
  switch (reason) {
    case StagingReason::kOk:
      return "ok";
    case StagingReason::kBudget:
      return "budget";
    case StagingReason::kKillSwitch:
      return "kill_switch";
  }
  return "unknown";
}

}  // namespace rdmalab
