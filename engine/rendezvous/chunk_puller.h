// The chunked path: pulls a payload chunk by chunk, with a number of chunks in flight, each
// straight into its place in the destination.
#ifndef RDMALAB_ENGINE_RENDEZVOUS_CHUNK_PULLER_H_
#define RDMALAB_ENGINE_RENDEZVOUS_CHUNK_PULLER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "engine/rendezvous/control_channel.h"
#include "engine/ucx/memory.h"
#include "engine/ucx/patience.h"

namespace rdmalab {

struct PullOptions {
  uint32_t slot = 0;
  uint64_t lease = 0;
  uint64_t generation = 0;
  size_t chunk_bytes = 0;
  size_t depth = 1;                               // chunks in flight
  const ucx::MappedMemory* registered = nullptr;  // of the destination; may be null
};

class ChunkPuller {
 public:
  // Makes room for a payload of that many chunks, so that Pull allocates nothing.
  void Reserve(size_t chunks) { seen_.reserve(chunks); }

  // Fills `to`; returns the chunks pulled. Each chunk arrives exactly once, DataLoss otherwise;
  // Aborted when the owner says that the lease is stale. Cut short by an error, `to` may still be
  // written by chunks under way until the channel says otherwise.
  absl::StatusOr<uint32_t> Pull(ControlChannel& channel, const PullOptions& options,
                                absl::Span<uint8_t> to, ucx::Patience& patience);

 private:
  absl::Status Take(const Reply& reply, uint32_t first_sequence, const PullOptions& options,
                    size_t total);

  std::vector<uint8_t> seen_;  // by chunk
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_RENDEZVOUS_CHUNK_PULLER_H_
