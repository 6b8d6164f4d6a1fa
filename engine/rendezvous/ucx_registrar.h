// Arenas and buffers registered with UCX: the bridge between the memory room, which knows no
// library, and the ucx room, which knows no arenas.
#ifndef RDMALAB_ENGINE_RENDEZVOUS_UCX_REGISTRAR_H_
#define RDMALAB_ENGINE_RENDEZVOUS_UCX_REGISTRAR_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "engine/memory/registrar.h"
#include "engine/ucx/context.h"
#include "engine/ucx/memory.h"

namespace rdmalab {

class UcxRegistrar : public Registrar {
 public:
  // `context` outlives the registrar and what it registers.
  explicit UcxRegistrar(const ucx::Context& context) : context_(context) {}

  absl::StatusOr<std::unique_ptr<Registration>> Register(uint8_t* address, size_t bytes) override;

  // Registrations made so far: a sample tells how many fell into its timed part.
  uint64_t registrations() const { return registrations_.load(std::memory_order_relaxed); }

 private:
  const ucx::Context& context_;
  std::atomic<uint64_t> registrations_{0};
};

// UCX's view of what UcxRegistrar registered, and of nothing else.
const ucx::MappedMemory& MappedMemoryOf(const Registration& registration);

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_RENDEZVOUS_UCX_REGISTRAR_H_
