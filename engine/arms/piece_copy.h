// The overlapped copy: reads a payload piece by piece into a small registered buffer that holds a
// few of them; while one is copied out the next are being read. The buffer is used again and again,
// so it stays in cache, and the copy hides behind the transfer.
#ifndef RDMALAB_ENGINE_ARMS_PIECE_COPY_H_
#define RDMALAB_ENGINE_ARMS_PIECE_COPY_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "engine/arms/phase_watch.h"
#include "engine/ucx/endpoint.h"
#include "engine/ucx/memory.h"
#include "engine/ucx/patience.h"
#include "engine/ucx/remote_key.h"

namespace rdmalab {

// One is copied while the others are read: an emulated read needs the owner's answer for each, and
// with only one under way its round trip would show between two pieces.
inline constexpr size_t kPiecesInBounce = 3;

struct PieceRead {
  uint64_t remote_address = 0;
  const ucx::RemoteKey& key;
  absl::Span<uint8_t> bounce;  // as long as the payload, or kPiecesInBounce pieces
  const ucx::MappedMemory* registered = nullptr;  // of the bounce buffer
  size_t piece_bytes = 0;
};

// Fills `to`. Enters Phase::kCopy once the last byte has arrived. On an error no read is under way
// any more.
absl::Status CopyByPieces(ucx::Endpoint& endpoint, const PieceRead& read, absl::Span<uint8_t> to,
                          ucx::Patience& patience, PhaseWatch& watch);

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_ARMS_PIECE_COPY_H_
