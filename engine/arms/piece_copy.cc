#include "engine/arms/piece_copy.h"

#include <algorithm>
#include <cstring>

#include "engine/base/status.h"
#include "engine/ucx/get.h"
#include "engine/ucx/request.h"

namespace rdmalab {
namespace {

// The piece that starts at `offset` of the payload, and where it lands.
absl::Span<uint8_t> PieceOf(const PieceRead& read, size_t offset, size_t total) {
  const size_t half = (offset / read.piece_bytes) % 2;
  const size_t bytes = std::min(read.piece_bytes, total - offset);
  return read.bounce.subspan(half * read.piece_bytes, bytes);
}

ucx::Request Start(const ucx::Endpoint& endpoint, const PieceRead& read, size_t offset,
                   size_t total) {
  const absl::Span<uint8_t> piece = PieceOf(read, offset, total);
  return ucx::Get(endpoint, {.to = piece.data(),
                             .bytes = piece.size(),
                             .remote_address = read.remote_address + offset,
                             .key = read.key,
                             .registered = read.registered});
}

}  // namespace

absl::Status CopyByPieces(ucx::Endpoint& endpoint, const PieceRead& read, absl::Span<uint8_t> to,
                          ucx::Patience& patience, PhaseWatch& watch) {
  ucx::Request current = Start(endpoint, read, 0, to.size());
  for (size_t offset = 0; offset < to.size(); offset += read.piece_bytes) {
    RETURN_IF_ERROR(endpoint.Finish(current, patience));
    const size_t next = offset + read.piece_bytes;
    if (next < to.size()) {
      current = Start(endpoint, read, next, to.size());
    } else {
      watch.Enter(Phase::kCopy);
    }
    const absl::Span<uint8_t> piece = PieceOf(read, offset, to.size());
    std::memcpy(to.data() + offset, piece.data(), piece.size());
  }
  return absl::OkStatus();
}

}  // namespace rdmalab
