// One piece of anonymous memory with one registration, handed out in slots. Made by ArenaPool only.
#ifndef RDMALAB_ENGINE_MEMORY_ARENA_H_
#define RDMALAB_ENGINE_MEMORY_ARENA_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "engine/memory/anonymous_memory.h"
#include "engine/memory/free_list.h"
#include "engine/memory/registrar.h"

namespace rdmalab {

struct ArenaOptions {
  size_t bytes;
  size_t granule;
  // For one slot of 64 MiB or more; small slots do not go here.
  bool dedicated = false;
  MemoryOptions memory = {};
};

class Arena {
 public:
  static absl::StatusOr<std::unique_ptr<Arena>> Create(uint64_t id, Registrar& registrar,
                                                       const ArenaOptions& options);

  // Unique in the pool and never used again, so that a peer may cache the unpacked key under it.
  uint64_t id() const { return id_; }
  std::byte* data() const { return memory_.data(); }
  size_t bytes() const { return memory_.bytes(); }
  bool dedicated() const { return dedicated_; }
  const Registration& registration() const { return *registration_; }
  FreeList& slots() { return slots_; }
  const FreeList& slots() const { return slots_; }

 private:
  Arena(uint64_t id, AnonymousMemory memory, std::unique_ptr<Registration> registration,
        const ArenaOptions& options)
      : id_(id),
        dedicated_(options.dedicated),
        memory_(std::move(memory)),
        registration_(std::move(registration)),
        slots_(memory_.bytes(), options.granule) {}

  uint64_t id_;
  bool dedicated_;
  AnonymousMemory memory_;  // before its registration: unmapped after it
  std::unique_ptr<Registration> registration_;
  FreeList slots_;
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_MEMORY_ARENA_H_
