// The consumer's end of the control path of a get: requests out, replies in, chunks straight into
// their destination. Two implementations: UCX active messages, and the plain TCP connection.
// Nothing here sleeps or allocates; whoever waits polls, with a Patience that bounds the wait.
#ifndef RDMALAB_ENGINE_RENDEZVOUS_CONTROL_CHANNEL_H_
#define RDMALAB_ENGINE_RENDEZVOUS_CONTROL_CHANNEL_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "engine/rendezvous/messages.h"
#include "engine/ucx/memory.h"
#include "engine/ucx/patience.h"

namespace rdmalab {

// Where the chunks of one pull go, and which sequence numbers belong to it: a chunk that answers an
// earlier, given-up pull must not land in this one's destination.
struct ChunkSink {
  absl::Span<uint8_t> to;
  uint32_t first_sequence = 0;
  const ucx::MappedMemory* registered = nullptr;  // of a range that holds `to`; may be null
};

class ControlChannel {
 public:
  struct Received {
    Reply reply;
    absl::Span<const uint8_t> data;  // a descriptor; valid until the next Poll. Chunks: empty
  };

  virtual ~ControlChannel() = default;

  // Unavailable when the peer is gone; what `patience` says when it ends first.
  virtual absl::Status Send(const Request& request, ucx::Patience& patience) = 0;

  // Drives the transport once. The next reply that somebody waits for, or null. A chunk is reported
  // when its bytes stand in the sink.
  virtual absl::StatusOr<const Received*> Poll() = 0;

  // Takes chunks until EndChunks; both outside Poll.
  virtual void BeginChunks(const ChunkSink& sink) = 0;
  virtual void EndChunks() = 0;

  // For the next request; never has kNobodyWaits set.
  uint32_t NextSequence() { return next_sequence_ = (next_sequence_ + 1) & 0x7fffffffu; }

 private:
  uint32_t next_sequence_ = 0;
};

// One request and its reply. Replies to earlier requests are passed over.
absl::StatusOr<ControlChannel::Received> Call(ControlChannel& channel, Request request,
                                              ucx::Patience& patience);

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_RENDEZVOUS_CONTROL_CHANNEL_H_
