// The consumer's memory for one get, made ready outside the timed part: where the read lands, and
// where the caller finds the bytes.
//
//   read         an RDMA read lands in        the caller gets
//   kOwned       a leased registered buffer   an owned buffer, copied out of it (fresh or kept)
//   kPinned      a leased registered buffer   that buffer
//   kInto        the caller's buffer          that buffer, registered once
//
// Chunks always go straight to where the caller finds them.
#ifndef RDMALAB_ENGINE_ARMS_LANDING_H_
#define RDMALAB_ENGINE_ARMS_LANDING_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "engine/arms/arm_spec.h"
#include "engine/arms/fresh_buffer.h"
#include "engine/base/aligned_buffer.h"
#include "engine/memory/arena_pool.h"
#include "engine/memory/registered_buffer.h"
#include "engine/memory/registrar.h"
#include "engine/ucx/memory.h"

namespace rdmalab {

class Landing;

// What all gets of a process share: the registered pool, the kept buffer, the caller's buffer. It
// outlives the UCX worker: UCX may write to it as long as there is one.
class ConsumerMemory {
 public:
  // Both outlive it. The kept buffer and the caller's have `largest_bytes`; the latter is
  // registered at its first use.
  static absl::StatusOr<std::unique_ptr<ConsumerMemory>> Create(Registrar& registrar,
                                                                ArenaPool& pool,
                                                                size_t largest_bytes);

  ~ConsumerMemory();

  ArenaPool& pool() { return pool_; }
  absl::StatusOr<absl::Span<uint8_t>> Kept();
  absl::StatusOr<const RegisteredBuffer*> Callers();

  // Takes the memory of a get that was given up while UCX still moved its bytes: nobody else gets
  // it any more.
  void Withhold(Landing landing);

 private:
  ConsumerMemory(Registrar& registrar, ArenaPool& pool, size_t largest_bytes);

  Registrar& registrar_;
  ArenaPool& pool_;
  size_t largest_bytes_;
  std::optional<AlignedBuffer> kept_;
  std::optional<AlignedBuffer> callers_;
  std::optional<RegisteredBuffer> registered_;  // after the buffer it registers
  std::vector<Landing> withheld_;
};

class Landing {
 public:
  // Takes what a get of `bytes` by this arm needs. A pool without room is no error: read_into() is
  // then empty, and the get will say pool_exhausted.
  static absl::StatusOr<Landing> Create(ConsumerMemory& memory, const ArmSpec& spec, size_t bytes);

  // Registered memory for an RDMA read: the whole payload, or (overlapped copy) a few pieces.
  absl::Span<uint8_t> read_into() const { return read_into_; }
  const ucx::MappedMemory* read_registration() const { return read_registration_; }

  // Where the caller finds the bytes. A fresh destination does not exist before Allocate.
  absl::Span<uint8_t> destination() const { return destination_; }
  // Of the destination, where it is registered; else null.
  const ucx::MappedMemory* destination_registration() const { return destination_registration_; }
  // The read lands elsewhere and is copied out.
  bool copies() const { return copies_; }

  // The fresh buffer of kOwned; nothing to do otherwise. Inside the timed part, by design.
  absl::Status Allocate();

 private:
  Landing() = default;

  absl::Status TakeRegistered(ArenaPool& pool, size_t bytes);

  size_t bytes_ = 0;
  bool copies_ = false;
  bool fresh_ = false;
  Lease lease_;
  std::optional<AlignedBuffer> unregistered_;  // kPinned when the pool has no room
  std::optional<FreshBuffer> fresh_buffer_;
  absl::Span<uint8_t> read_into_;
  const ucx::MappedMemory* read_registration_ = nullptr;
  absl::Span<uint8_t> destination_;
  const ucx::MappedMemory* destination_registration_ = nullptr;
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_ARMS_LANDING_H_
