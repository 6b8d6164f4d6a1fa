#include "engine/arms/piece_copy.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "engine/base/status.h"
#include "engine/ucx/get.h"
#include "engine/ucx/request.h"

namespace rdmalab {
namespace {

// The piece that starts at `offset` of the payload, and where it lands.
absl::Span<uint8_t> PieceOf(const PieceRead& read, size_t offset, size_t total) {
  const size_t place = (offset / read.piece_bytes) % kPiecesInBounce;
  const size_t bytes = std::min(read.piece_bytes, total - offset);
  return read.bounce.subspan(place * read.piece_bytes, bytes);
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
  std::array<ucx::Request, kPiecesInBounce> under_way;
  size_t started = 0;
  const auto start_next = [&] {
    if (started >= to.size()) return;
    under_way[(started / read.piece_bytes) % kPiecesInBounce] =
        Start(endpoint, read, started, to.size());
    started += read.piece_bytes;
  };
  for (size_t i = 0; i + 1 < kPiecesInBounce; ++i) start_next();
  for (size_t offset = 0; offset < to.size(); offset += read.piece_bytes) {
    const absl::Status done =
        endpoint.Finish(under_way[(offset / read.piece_bytes) % kPiecesInBounce], patience);
    if (!done.ok()) {
      // The endpoint has failed or patience has ended: the rest ends with it, and is waited for.
      (void)endpoint.FinishAll(absl::MakeSpan(under_way), patience);
      return done;
    }
    start_next();
    if (offset + read.piece_bytes >= to.size()) watch.Enter(Phase::kCopy);
    const absl::Span<uint8_t> piece = PieceOf(read, offset, to.size());
    std::memcpy(to.data() + offset, piece.data(), piece.size());
  }
  return absl::OkStatus();
}

}  // namespace rdmalab
