// Why a get went the way it went: the owner's reasons not to offer RDMA, the consumer's reasons to
// leave an offer for the chunked path, and the owner's reasons for the staging it chose.
// The names are the ones in samples.jsonl and in the counters of both sides.
#ifndef RDMALAB_ENGINE_RENDEZVOUS_REASONS_H_
#define RDMALAB_ENGINE_RENDEZVOUS_REASONS_H_

#include <cstdint>

#include "absl/strings/string_view.h"

namespace rdmalab {

// The owner's answer to "may this get be one RDMA read?". In the order in which they are decided:
// a reason that stands for the whole arm comes before one that depends on the payload.
enum class Refusal : uint8_t {
  kNone = 0,
  kKillSwitch,     // RDMA is switched off on the owner
  kBelowMin,       // the payload is smaller than the arm's min_bytes
  kNotConfigured,  // the arm asks for the chunked path
  kDraining,       // the owner is shutting down
  kNotPinned,      // the payload stands in memory that is not registered
  kNoOffer,        // registered, but there is no key that a consumer could use
};
inline constexpr int kRefusals = 7;

// The consumer's account of the path it took.
enum class Reason : uint8_t {
  kOk = 0,
  kDecodeError,    // the descriptor lied or was cut short
  kPoolExhausted,  // no registered buffer was free for the read to land in
  kGetFailed,      // the read itself failed
  kKillSwitch,     // RDMA was asked for, and switched off
};
inline constexpr int kReasons = 5;

enum class StagingReason : uint8_t {
  kOk = 0,
  kBudget,      // pinned was asked, the registered-bytes budget was spent
  kKillSwitch,  // pinned was asked, the kill switch stages plain
};
inline constexpr int kStagingReasons = 3;

absl::string_view Name(Refusal refusal);
absl::string_view Name(Reason reason);
absl::string_view Name(StagingReason reason);

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_RENDEZVOUS_REASONS_H_
