#include "engine/arms/piece_copy.h"

#include <algorithm>
#include <array>

#include "engine/base/stream_copy.h"
#include "engine/ucx/get.h"
#include "engine/ucx/request.h"

namespace rdmalab {
namespace {

// The reads under way, in order, each with its place in the bounce buffer.
class Pieces {
 public:
  Pieces(const ucx::Endpoint& endpoint, const PieceRead& read, size_t total)
      : endpoint_(endpoint), read_(read), total_(total) {}

  // Asks for the next piece, if there is one and a place for it.
  void Ask() {
    if (asked_ >= total_ || count_ == kPiecesInBounce) return;
    if (count_ == 0) first_ = 0;  // the place that is still in cache
    const size_t place = (first_ + count_) % kPiecesInBounce;
    const size_t bytes = std::min(read_.piece_bytes, total_ - asked_);
    const absl::Span<uint8_t> to = read_.bounce.subspan(place * read_.piece_bytes, bytes);
    requests_[place] = ucx::Get(endpoint_, {.to = to.data(),
                                            .bytes = bytes,
                                            .remote_address = read_.remote_address + asked_,
                                            .key = read_.key,
                                            .registered = read_.registered});
    asked_ += bytes;
    ++count_;
  }

  void AskForAllBut(size_t free_places) {
    while (asked_ < total_ && count_ + free_places < kPiecesInBounce) Ask();
  }

  bool empty() const { return count_ == 0; }
  ucx::Request& oldest() { return requests_[first_]; }
  const uint8_t* oldest_bytes() const { return read_.bounce.data() + first_ * read_.piece_bytes; }
  void Pop() {
    first_ = (first_ + 1) % kPiecesInBounce;
    --count_;
  }
  absl::Span<ucx::Request> all() { return absl::MakeSpan(requests_); }

 private:
  const ucx::Endpoint& endpoint_;
  const PieceRead& read_;
  const size_t total_;
  std::array<ucx::Request, kPiecesInBounce> requests_;
  size_t asked_ = 0;  // bytes
  size_t first_ = 0;
  size_t count_ = 0;
};

}  // namespace

absl::Status CopyByPieces(ucx::Endpoint& endpoint, const PieceRead& read, absl::Span<uint8_t> to,
                          ucx::Patience& patience, PhaseWatch& watch) {
  Pieces pieces(endpoint, read, to.size());
  const StreamCopy copy(to.size());
  for (size_t offset = 0; offset < to.size(); offset += read.piece_bytes) {
    if (pieces.empty()) pieces.Ask();
    const bool ahead = !endpoint.DoneAtOnce(pieces.oldest());
    if (ahead) pieces.AskForAllBut(1);
    const absl::Status done = endpoint.Finish(pieces.oldest(), patience);
    if (!done.ok()) {
      // The endpoint has failed or patience has ended: the rest ends with it, and is waited for.
      (void)endpoint.FinishAll(pieces.all(), patience);
      return done;
    }
    if (ahead) pieces.Ask();
    if (offset + read.piece_bytes >= to.size()) watch.Enter(Phase::kCopy);
    copy(to.data() + offset, pieces.oldest_bytes(), std::min(read.piece_bytes, to.size() - offset));
    pieces.Pop();
  }
  return absl::OkStatus();
}

}  // namespace rdmalab
