#include "engine/arms/landing.h"

#include <algorithm>
#include <utility>

#include "engine/arms/piece_copy.h"
#include "engine/base/status.h"
#include "engine/rendezvous/ucx_registrar.h"

namespace rdmalab {

absl::StatusOr<std::unique_ptr<ConsumerMemory>> ConsumerMemory::Create(Registrar& registrar,
                                                                       ArenaPool& pool,
                                                                       size_t largest_bytes) {
  return std::unique_ptr<ConsumerMemory>(new ConsumerMemory(registrar, pool, largest_bytes));
}

ConsumerMemory::ConsumerMemory(Registrar& registrar, ArenaPool& pool, size_t largest_bytes)
    : registrar_(registrar), pool_(pool), largest_bytes_(largest_bytes) {}

ConsumerMemory::~ConsumerMemory() = default;

absl::StatusOr<absl::Span<uint8_t>> ConsumerMemory::Kept() {
  if (!kept_.has_value()) {
    ASSIGN_OR_RETURN(kept_, AlignedBuffer::Create({.bytes = largest_bytes_, .populate = true}));
  }
  return kept_->span();
}

absl::StatusOr<const RegisteredBuffer*> ConsumerMemory::Callers() {
  if (!registered_.has_value()) {
    ASSIGN_OR_RETURN(callers_, AlignedBuffer::Create({.bytes = largest_bytes_, .populate = true}));
    ASSIGN_OR_RETURN(registered_, RegisteredBuffer::Create(registrar_, callers_->span()));
  }
  return &*registered_;
}

void ConsumerMemory::Withhold(Landing landing) { withheld_.push_back(std::move(landing)); }

absl::StatusOr<Landing> Landing::Create(ConsumerMemory& memory, const ArmSpec& spec, size_t bytes) {
  Landing landing;
  landing.bytes_ = bytes;
  if (spec.read == ArmSpec::Read::kInto) {
    ASSIGN_OR_RETURN(const RegisteredBuffer* callers, memory.Callers());
    landing.destination_ = absl::MakeSpan(callers->data(), bytes);
    landing.destination_registration_ = &MappedMemoryOf(callers->registration());
    landing.read_into_ = landing.destination_;
    landing.read_registration_ = landing.destination_registration_;
    return landing;
  }
  const bool owned = spec.read == ArmSpec::Read::kOwned;
  const size_t read_bytes =
      owned && spec.overlapped_copy ? std::min(bytes, kPiecesInBounce * spec.piece_bytes) : bytes;
  if (!owned || spec.asks_for_rdma) {
    RETURN_IF_ERROR(landing.TakeRegistered(memory.pool(), read_bytes));
  }
  if (owned) {
    landing.copies_ = true;
    landing.fresh_ = spec.fresh_destination;
    if (!landing.fresh_) {
      ASSIGN_OR_RETURN(const absl::Span<uint8_t> kept, memory.Kept());
      landing.destination_ = kept.subspan(0, bytes);
    }
    return landing;
  }
  if (landing.read_into_.empty()) {
    ASSIGN_OR_RETURN(landing.unregistered_,
                     AlignedBuffer::Create({.bytes = bytes, .populate = true}));
    landing.destination_ = landing.unregistered_->span();
  } else {
    landing.destination_ = landing.read_into_;
    landing.destination_registration_ = landing.read_registration_;
  }
  return landing;
}

absl::Status Landing::TakeRegistered(ArenaPool& pool, size_t bytes) {
  absl::StatusOr<Lease> lease = pool.Take(bytes);
  if (!lease.ok()) return IsOverBudget(lease.status()) ? absl::OkStatus() : lease.status();
  lease_ = *std::move(lease);
  read_into_ = absl::MakeSpan(lease_.data(), bytes);
  read_registration_ = &MappedMemoryOf(lease_.registration());
  return absl::OkStatus();
}

absl::Status Landing::Allocate() {
  if (!fresh_ || fresh_buffer_.has_value()) return absl::OkStatus();
  ASSIGN_OR_RETURN(fresh_buffer_, FreshBuffer::Create(bytes_));
  destination_ = fresh_buffer_->span();
  return absl::OkStatus();
}

}  // namespace rdmalab
