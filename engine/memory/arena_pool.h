// Registered memory in slots: where an owner stages payloads, and where a consumer leases buffers
// for get_pinned.
//
//   auto pool = ArenaPool::Create(registrar, {.budget_bytes = plan.limits.registered_bytes});
//   absl::StatusOr<Lease> slot = (*pool)->Take(1 << 20);
//   if (!slot.ok() && IsOverBudget(slot.status())) stage_plain("budget");
//   descriptor = {slot->arena_id(), slot->address(), slot->bytes(),
//   slot->registration().packed_key()};
//
// The first arena has 64 MiB; when the arenas are full the next is twice as large as the last, up
// to 1 GiB and to what the budget leaves. A slot of 64 MiB or more gets an arena of its own, which
// is kept for the next of its kind. Before the pool goes over its budget it drops arenas that
// nobody uses. All methods may be called from any thread.
#ifndef RDMALAB_ENGINE_MEMORY_ARENA_POOL_H_
#define RDMALAB_ENGINE_MEMORY_ARENA_POOL_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "engine/memory/arena.h"
#include "engine/memory/registrar.h"

namespace rdmalab {

class ArenaPool;

// A slot, given back when it goes. The pool outlives all its leases.
class Lease {
 public:
  Lease() = default;
  ~Lease() { Release(); }
  Lease(Lease&& other) noexcept { *this = std::move(other); }
  Lease& operator=(Lease&& other) noexcept;

  explicit operator bool() const { return pool_ != nullptr; }
  uint8_t* data() const { return data_; }
  size_t bytes() const { return bytes_; }  // as asked, not rounded
  // The address as a peer names it: the remote address of a GET.
  uint64_t address() const { return reinterpret_cast<uintptr_t>(data_); }
  uint64_t arena_id() const { return arena_->id(); }
  const Registration& registration() const { return arena_->registration(); }

  // Gives the slot back now; nothing afterwards.
  void Release();

 private:
  friend class ArenaPool;
  Lease(ArenaPool& pool, Arena& arena, uint8_t* data, size_t bytes)
      : pool_(&pool), arena_(&arena), data_(data), bytes_(bytes) {}

  ArenaPool* pool_ = nullptr;
  Arena* arena_ = nullptr;
  uint8_t* data_ = nullptr;
  size_t bytes_ = 0;
};

struct ArenaPoolOptions {
  static constexpr size_t kFirstArena = size_t{64} << 20;
  static constexpr size_t kDedicatedFrom = size_t{64}
                                           << 20;  // such a slot would leave no room for others
  static constexpr size_t kLargestGrowth = size_t{1}
                                           << 30;  // registering more at once stalls for too long
  static constexpr size_t kGranule = 4096;  // raised to the kernel's page where that is larger

  size_t budget_bytes =
      std::numeric_limits<size_t>::max();  // of registered memory, all arenas together
  size_t first_arena_bytes = kFirstArena;
  size_t dedicated_from_bytes = kDedicatedFrom;
  // Touch every page when an arena is made, so that no page fault falls into a timed part.
  bool populate = true;
  // From the kernel's reserved huge pages (memory: host_huge); a Take fails when there are too few.
  bool huge_pages = false;
};

class ArenaPool {
 public:
  struct Counters {
    uint64_t arenas = 0;            // now
    uint64_t registered_bytes = 0;  // now
    uint64_t registrations = 0;     // ever
    uint64_t leases = 0;            // out now
    uint64_t leased_bytes = 0;      // out now, as asked
    uint64_t over_budget = 0;       // takes refused for the budget, ever
  };

  // `registrar` outlives the pool. No memory is registered before the first Take or Reserve.
  static absl::StatusOr<std::unique_ptr<ArenaPool>> Create(Registrar& registrar,
                                                           const ArenaPoolOptions& options);
  // All leases have been given back: checked, the process ends otherwise.
  ~ArenaPool();

  // A slot of `bytes` (at least 1). ResourceExhausted with IsOverBudget when the budget does not
  // hold it; what the kernel or the registrar said when they refuse.
  absl::StatusOr<Lease> Take(size_t bytes);

  // Makes sure, outside a timed part, that the next Take of `bytes` registers nothing.
  absl::Status Reserve(size_t bytes);

  Counters counters() const;

 private:
  friend class Lease;

  struct Granules {
    size_t slot;   // of offsets and lengths inside an arena
    size_t arena;  // of an arena's size: a huge page where they are asked for
  };

  ArenaPool(Registrar& registrar, const ArenaPoolOptions& options, const Granules& granules)
      : registrar_(registrar),
        options_(options),
        granules_(granules),
        next_arena_bytes_(options.first_arena_bytes) {}

  void GiveBack(Arena& arena, uint8_t* data, size_t bytes);
  Lease TakeFrom(Arena& arena, size_t bytes) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<Arena*> Grow(size_t bytes, bool dedicated) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void DropUnusedFor(size_t needed) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  Registrar& registrar_;
  const ArenaPoolOptions options_;
  const Granules granules_;
  mutable absl::Mutex mutex_;
  size_t next_arena_bytes_ ABSL_GUARDED_BY(mutex_);
  uint64_t next_id_ ABSL_GUARDED_BY(mutex_) = 1;
  Counters counters_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<Arena>> arenas_ ABSL_GUARDED_BY(mutex_);
};

// True for the ResourceExhausted that means: the registered-bytes budget, not the machine.
bool IsOverBudget(const absl::Status& status);

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_MEMORY_ARENA_POOL_H_
