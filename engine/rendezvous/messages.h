// The control messages of a get. One record for every request, one for every reply, the same bytes
// over a TCP frame and over a UCX active message:
//
//   consumer -> owner   acquire            may I read this slot, and how?
//                       pull               one chunk of it (chunked path)
//                       renew              I still need the lease
//                       detach             the RDMA read is over, the lease may go
//                       release            the same after chunks
//   owner -> consumer   ready              pull it chunk by chunk; `refusal` says why not RDMA
//                       rdma               a descriptor follows
//                       chunk              `length` bytes of the slot follow
//                       done               renew, detach and release are answered with it
//                       stale              the lease or its generation is not (any more) known
#ifndef RDMALAB_ENGINE_RENDEZVOUS_MESSAGES_H_
#define RDMALAB_ENGINE_RENDEZVOUS_MESSAGES_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "engine/rendezvous/reasons.h"

namespace rdmalab {

enum class RequestKind : uint8_t { kAcquire = 1, kPull, kRenew, kDetach, kRelease };
enum class ReplyKind : uint8_t { kReady = 1, kRdma, kChunk, kDone, kStale };

struct Request {
  RequestKind kind = RequestKind::kAcquire;
  uint32_t sequence = 0;  // echoed in the reply
  uint32_t slot = 0;      // the cell whose payload is meant
  uint64_t lease = 0;     // 0 in an acquire
  uint64_t generation = 0;
  uint64_t offset = 0;  // pull only
  uint64_t length = 0;  // acquire: the payload expected; pull: the chunk
};

struct Reply {
  ReplyKind kind = ReplyKind::kReady;
  Refusal refusal = Refusal::kNone;
  StagingReason staging_reason = StagingReason::kOk;
  bool pinned = false;  // how the payload really stands
  uint32_t sequence = 0;
  uint32_t lease_ms = 0;
  uint64_t lease = 0;
  uint64_t generation = 0;
  uint64_t offset = 0;      // chunk only
  uint64_t length = 0;      // the slot's payload, or the chunk
  uint32_t data_bytes = 0;  // what follows the record: a descriptor or a chunk
};

inline constexpr size_t kRequestBytes = 48;
inline constexpr size_t kReplyBytes = 48;

using RequestBytes = std::array<uint8_t, kRequestBytes>;
using ReplyBytes = std::array<uint8_t, kReplyBytes>;

RequestBytes EncodeRequest(const Request& request);
ReplyBytes EncodeReply(const Reply& reply);

// DataLoss on a wrong size, an unknown kind or reason, or reserved bytes that are not zero.
absl::StatusOr<Request> DecodeRequest(absl::Span<const uint8_t> bytes);
absl::StatusOr<Reply> DecodeReply(absl::Span<const uint8_t> bytes);

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_RENDEZVOUS_MESSAGES_H_
