#include "engine/verbs/handles.h"

#include <cerrno>

#include "absl/strings/str_cat.h"
#include "engine/base/status.h"
#include "engine/verbs/status.h"

namespace rdmalab::verbs {
namespace {

constexpr int kAccess = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE;

// A call that returns a pointer sets errno, but not every provider does.
int Errno() { return errno == 0 ? EIO : errno; }

}  // namespace

absl::StatusOr<ProtectionDomain> ProtectionDomain::Create(const Device& device) {
  errno = 0;
  ibv_pd* const handle = ibv_alloc_pd(device.context());
  if (handle == nullptr) return ErrnoToStatus(Errno(), "ibv_alloc_pd", device.name());
  return ProtectionDomain(handle, device);
}

absl::StatusOr<MemoryRegion> MemoryRegion::Create(const ProtectionDomain& domain, void* address,
                                                  size_t bytes) {
  errno = 0;
  ibv_mr* const handle = ibv_reg_mr(domain.handle(), address, bytes, kAccess);
  if (handle != nullptr) return MemoryRegion(handle, "host");
  return ErrnoToStatus(Errno(), "ibv_reg_mr",
                       absl::StrCat(bytes, " bytes on ", domain.device().name()));
}

absl::StatusOr<MemoryRegion> MemoryRegion::Create(const ProtectionDomain& domain,
                                                  const OperationMemory& memory) {
  if (memory.on_host()) return Create(domain, memory.address(), memory.bytes());
  const std::string object =
      absl::StrCat(memory.bytes(), " bytes of a GPU on ", domain.device().name());
  absl::Status by_dma_buf = absl::UnimplementedError("the GPU's driver exports no dma-buf");
  if (memory.dma_buf().has_value()) {
    errno = 0;
    ibv_mr* const handle = ibv_reg_dmabuf_mr(domain.handle(), 0, memory.bytes(),
                                             reinterpret_cast<uintptr_t>(memory.address()),
                                             *memory.dma_buf(), kAccess);
    if (handle != nullptr) return MemoryRegion(handle, "dma_buf");
    by_dma_buf = ErrnoToStatus(Errno(), "ibv_reg_dmabuf_mr", object);
  }
  absl::StatusOr<MemoryRegion> by_address = Create(domain, memory.address(), memory.bytes());
  if (by_address.ok()) {
    by_address->how_ = "peer_memory";
    return by_address;
  }
  return absl::UnimplementedError(
      absl::StrCat("memory: cuda cannot be registered here: ", std::string(by_dma_buf.message()),
                   "; ", std::string(by_address.status().message())));
}

absl::StatusOr<CompletionQueue> CompletionQueue::Create(const Device& device, int entries) {
  errno = 0;
  ibv_cq* const handle = ibv_create_cq(device.context(), entries, nullptr, nullptr, 0);
  if (handle != nullptr) return CompletionQueue(handle);
  return ErrnoToStatus(Errno(), "ibv_create_cq",
                       absl::StrCat(entries, " entries on ", device.name()));
}

}  // namespace rdmalab::verbs
