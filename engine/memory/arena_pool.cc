#include "engine/memory/arena_pool.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "engine/base/status.h"

namespace rdmalab {
namespace {

constexpr char kOverBudget[] = "rdmalab/registered_bytes_budget";
constexpr size_t kHugePage = size_t{2} << 20;

absl::Status OverBudget(size_t bytes, size_t registered, size_t budget) {
  absl::Status status = absl::ResourceExhaustedError(
      absl::StrCat("registering ", bytes, " bytes more would exceed the budget: ", registered,
                   " of ", budget, " bytes are registered"));
  status.SetPayload(kOverBudget, absl::Cord());
  return status;
}

// A bug of the caller that would corrupt memory if it went on.
[[noreturn]] void Die(const absl::Status& status) {
  fprintf(stderr, "ArenaPool: %s\n", status.ToString().c_str());
  abort();
}

size_t RoundUp(size_t bytes, size_t granule) { return (bytes + granule - 1) & ~(granule - 1); }

}  // namespace

bool IsOverBudget(const absl::Status& status) { return status.GetPayload(kOverBudget).has_value(); }

Lease& Lease::operator=(Lease&& other) noexcept {
  if (this == &other) return *this;
  Release();
  pool_ = std::exchange(other.pool_, nullptr);
  arena_ = std::exchange(other.arena_, nullptr);
  data_ = std::exchange(other.data_, nullptr);
  bytes_ = std::exchange(other.bytes_, 0);
  return *this;
}

void Lease::Release() {
  if (pool_ == nullptr) return;
  std::exchange(pool_, nullptr)->GiveBack(*arena_, data_, bytes_);
  arena_ = nullptr;
  data_ = nullptr;
  bytes_ = 0;
}

absl::StatusOr<std::unique_ptr<ArenaPool>> ArenaPool::Create(Registrar& registrar,
                                                             const ArenaPoolOptions& options) {
  if (options.first_arena_bytes == 0 || options.budget_bytes == 0 ||
      options.dedicated_from_bytes == 0) {
    return absl::InvalidArgumentError("arena sizes and the registered-bytes budget are at least 1");
  }
  size_t granule = std::max(ArenaPoolOptions::kGranule, static_cast<size_t>(getpagesize()));
  size_t arena_granule = options.huge_pages ? std::max(granule, kHugePage) : granule;
  return std::unique_ptr<ArenaPool>(
      new ArenaPool(registrar, options, {.slot = granule, .arena = arena_granule}));
}

ArenaPool::~ArenaPool() {
  absl::MutexLock lock(&mutex_);
  if (counters_.leases != 0) {
    Die(absl::InternalError(absl::StrCat("destroyed with ", counters_.leases, " leases out")));
  }
}

absl::StatusOr<Lease> ArenaPool::Take(size_t bytes) {
  if (bytes == 0) return absl::InvalidArgumentError("a slot has at least 1 byte");
  absl::MutexLock lock(&mutex_);
  const bool dedicated = bytes >= options_.dedicated_from_bytes;
  for (const std::unique_ptr<Arena>& arena : arenas_) {
    if (arena->dedicated() != dedicated) continue;
    if (Lease lease = TakeFrom(*arena, bytes)) return lease;
  }
  ASSIGN_OR_RETURN(Arena* const arena, Grow(bytes, dedicated));
  if (Lease lease = TakeFrom(*arena, bytes)) return lease;
  return absl::InternalError(absl::StrCat("a new arena does not hold ", bytes, " bytes"));
}

absl::Status ArenaPool::Reserve(size_t bytes) { return Take(bytes).status(); }

ArenaPool::Counters ArenaPool::counters() const {
  absl::MutexLock lock(&mutex_);
  return counters_;
}

Lease ArenaPool::TakeFrom(Arena& arena, size_t bytes) {
  const std::optional<size_t> offset = arena.slots().Take(bytes);
  if (!offset.has_value()) return Lease();
  ++counters_.leases;
  counters_.leased_bytes += bytes;
  return Lease(*this, arena, arena.data() + *offset, bytes);
}

void ArenaPool::GiveBack(Arena& arena, uint8_t* data, size_t bytes) {
  absl::MutexLock lock(&mutex_);
  const absl::Status released = arena.slots().Release(static_cast<size_t>(data - arena.data()));
  if (!released.ok()) Die(released);
  --counters_.leases;
  counters_.leased_bytes -= bytes;
}

// A new arena that holds a slot of `bytes`: of the planned size where the budget allows, else just
// large enough.
absl::StatusOr<Arena*> ArenaPool::Grow(size_t bytes, bool dedicated) {
  const size_t budget = options_.budget_bytes;
  if (bytes > budget) {
    ++counters_.over_budget;
    return OverBudget(bytes, counters_.registered_bytes, budget);
  }
  const size_t needed = RoundUp(bytes, granules_.arena);
  const size_t planned =
      dedicated ? needed : std::max(needed, RoundUp(next_arena_bytes_, granules_.arena));
  DropUnusedFor(needed);
  const size_t left = budget - counters_.registered_bytes;
  if (needed > left) {
    ++counters_.over_budget;
    return OverBudget(needed, counters_.registered_bytes, budget);
  }
  const size_t size = planned <= left ? planned : left - left % granules_.arena;
  ASSIGN_OR_RETURN(std::unique_ptr<Arena> arena,
                   Arena::Create(registrar_, {.id = next_id_,
                                              .bytes = size,
                                              .granule = granules_.slot,
                                              .dedicated = dedicated,
                                              .populate = options_.populate,
                                              .huge_pages = options_.huge_pages}));
  ++next_id_;
  ++counters_.arenas;
  ++counters_.registrations;
  counters_.registered_bytes += size;
  if (!dedicated) {
    next_arena_bytes_ = std::min(2 * next_arena_bytes_, ArenaPoolOptions::kLargestGrowth);
    next_arena_bytes_ = std::max(next_arena_bytes_, options_.first_arena_bytes);
  }
  arenas_.push_back(std::move(arena));
  return arenas_.back().get();
}

// Drops unused arenas, the largest first, until `needed` more bytes fit the budget.
void ArenaPool::DropUnusedFor(size_t needed) {
  while (needed > options_.budget_bytes - counters_.registered_bytes) {
    auto largest = arenas_.end();
    for (auto arena = arenas_.begin(); arena != arenas_.end(); ++arena) {
      if (!(*arena)->slots().unused()) continue;
      if (largest == arenas_.end() || (*arena)->bytes() > (*largest)->bytes()) largest = arena;
    }
    if (largest == arenas_.end()) return;
    counters_.registered_bytes -= (*largest)->bytes();
    --counters_.arenas;
    arenas_.erase(largest);
  }
}

}  // namespace rdmalab
