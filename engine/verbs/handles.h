// Protection domain, memory region and completion queue: one C handle, one move-only class. Each is
// made from its parent, which outlives it.
#ifndef RDMALAB_ENGINE_VERBS_HANDLES_H_
#define RDMALAB_ENGINE_VERBS_HANDLES_H_

#include <infiniband/verbs.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "engine/memory/operation_memory.h"
#include "engine/verbs/device.h"

namespace rdmalab::verbs {

class ProtectionDomain {
 public:
  static absl::StatusOr<ProtectionDomain> Create(const Device& device);

  ibv_pd* handle() const { return handle_.get(); }
  const Device& device() const { return *device_; }

 private:
  struct Deleter {
    void operator()(ibv_pd* domain) const { (void)ibv_dealloc_pd(domain); }
  };
  ProtectionDomain(ibv_pd* handle, const Device& device) : handle_(handle), device_(&device) {}

  std::unique_ptr<ibv_pd, Deleter> handle_;
  const Device* device_;
};

// Memory that the adapter may read and write, here and for the peer.
class MemoryRegion {
 public:
  // A GPU's memory is registered through its dma-buf; where there is none or the device does not
  // take it, by address, which needs a peer memory driver. how() tells which it was; the status of
  // a failure tells both.
  static absl::StatusOr<MemoryRegion> Create(const ProtectionDomain& domain,
                                             const OperationMemory& memory);
  // Memory of this process, such as a mailbox.
  static absl::StatusOr<MemoryRegion> Create(const ProtectionDomain& domain, void* address,
                                             size_t bytes);

  uint32_t local_key() const { return handle_->lkey; }
  uint32_t remote_key() const { return handle_->rkey; }
  const std::string& how() const { return how_; }  // "host", "dma_buf" or "peer_memory"

 private:
  struct Deleter {
    void operator()(ibv_mr* region) const { (void)ibv_dereg_mr(region); }
  };
  MemoryRegion(ibv_mr* handle, std::string how) : handle_(handle), how_(std::move(how)) {}

  std::unique_ptr<ibv_mr, Deleter> handle_;
  std::string how_;
};

class CompletionQueue {
 public:
  static absl::StatusOr<CompletionQueue> Create(const Device& device, int entries);

  ibv_cq* handle() const { return handle_.get(); }

 private:
  struct Deleter {
    void operator()(ibv_cq* queue) const { (void)ibv_destroy_cq(queue); }
  };
  explicit CompletionQueue(ibv_cq* handle) : handle_(handle) {}

  std::unique_ptr<ibv_cq, Deleter> handle_;
};

}  // namespace rdmalab::verbs

#endif  // RDMALAB_ENGINE_VERBS_HANDLES_H_
