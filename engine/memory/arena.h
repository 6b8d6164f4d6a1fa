// One piece of anonymous memory with one registration, handed out in slots. Made by ArenaPool only.
#ifndef RDMALAB_ENGINE_MEMORY_ARENA_H_
#define RDMALAB_ENGINE_MEMORY_ARENA_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "engine/base/aligned_buffer.h"
#include "engine/memory/free_list.h"
#include "engine/memory/registrar.h"

namespace rdmalab {

struct ArenaOptions {
  uint64_t id;
  size_t bytes;  // a multiple of the granule
  size_t granule;
  // For one slot of 64 MiB or more; small slots do not go here.
  bool dedicated = false;
  bool populate = false;
  bool huge_pages = false;
};

class Arena {
 public:
  // What the kernel or the registrar say when they refuse, with the size before it.
  static absl::StatusOr<std::unique_ptr<Arena>> Create(Registrar& registrar,
                                                       const ArenaOptions& options);

  // Unique in the pool and never used again, so that a peer may cache the unpacked key under it.
  uint64_t id() const { return options_.id; }
  uint8_t* data() const { return memory_.data(); }
  size_t bytes() const { return options_.bytes; }
  bool dedicated() const { return options_.dedicated; }
  const Registration& registration() const { return *registration_; }
  FreeList& slots() { return slots_; }
  const FreeList& slots() const { return slots_; }

 private:
  Arena(const ArenaOptions& options, AlignedBuffer memory,
        std::unique_ptr<Registration> registration)
      : options_(options),
        memory_(std::move(memory)),
        registration_(std::move(registration)),
        slots_(options.bytes, options.granule) {}

  const ArenaOptions options_;
  AlignedBuffer memory_;  // before its registration, so that it is unmapped after it
  std::unique_ptr<Registration> registration_;
  FreeList slots_;
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_MEMORY_ARENA_H_
