#include "engine/rendezvous/chunk_puller.h"

#include <algorithm>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "engine/base/status.h"

namespace rdmalab {

absl::StatusOr<uint32_t> ChunkPuller::Pull(ControlChannel& channel, const PullOptions& options,
                                           absl::Span<uint8_t> to, ucx::Patience& patience) {
  const size_t chunks = (to.size() + options.chunk_bytes - 1) / options.chunk_bytes;
  seen_.assign(chunks, 0);
  uint32_t first_sequence = 0;
  size_t asked = 0;
  size_t arrived = 0;
  const auto end = absl::MakeCleanup([&channel] { channel.EndChunks(); });
  while (arrived < chunks) {
    while (asked < chunks && asked - arrived < options.depth) {
      const uint32_t sequence = channel.NextSequence();
      if (asked == 0) {
        first_sequence = sequence;
        channel.BeginChunks(
            {.to = to, .first_sequence = sequence, .registered = options.registered});
      }
      const size_t offset = asked * options.chunk_bytes;
      RETURN_IF_ERROR(channel.Send({.kind = RequestKind::kPull,
                                    .sequence = sequence,
                                    .slot = options.slot,
                                    .lease = options.lease,
                                    .generation = options.generation,
                                    .offset = offset,
                                    .length = std::min(options.chunk_bytes, to.size() - offset)},
                                   patience));
      ++asked;
    }
    ASSIGN_OR_RETURN(const ControlChannel::Received* received, channel.Poll());
    if (received != nullptr && received->reply.sequence >= first_sequence) {
      RETURN_IF_ERROR(Take(received->reply, first_sequence, options, to.size()));
      ++arrived;
    } else if (!patience.Spin()) {
      return patience.verdict();
    }
  }
  return static_cast<uint32_t>(chunks);
}

absl::Status ChunkPuller::Take(const Reply& reply, uint32_t first_sequence,
                               const PullOptions& options, size_t total) {
  const size_t chunk = reply.sequence - first_sequence;
  if (chunk >= seen_.size() || seen_[chunk] != 0) {
    return absl::DataLossError(
        absl::StrCat("a chunk that nobody asked for, or asked for once: #", chunk));
  }
  if (reply.kind == ReplyKind::kStale) {
    return absl::AbortedError(
        absl::StrCat("the owner says that lease ", options.lease, " is stale"));
  }
  const size_t offset = chunk * options.chunk_bytes;
  if (reply.kind != ReplyKind::kChunk || reply.offset != offset ||
      reply.length != std::min(options.chunk_bytes, total - offset)) {
    return absl::DataLossError(absl::StrCat("chunk #", chunk, " came as another one"));
  }
  seen_[chunk] = 1;
  return absl::OkStatus();
}

}  // namespace rdmalab
