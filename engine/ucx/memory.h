// A registered range of memory, and the packed key that lets a peer read it.
//
// The range belongs to the caller and stays mapped until the MappedMemory is gone. One registration
// per arena: the remote address of a slot is simply its address, and all slots of an arena share
// the packed key.
#ifndef RDMALAB_ENGINE_UCX_MEMORY_H_
#define RDMALAB_ENGINE_UCX_MEMORY_H_

#include <ucp/api/ucp.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "engine/ucx/context.h"

namespace rdmalab::ucx {

class MappedMemory {
 public:
  // Registers `bytes` from `address` with every memory domain of the context that can. `context`
  // outlives it.
  static absl::StatusOr<MappedMemory> Create(const Context& context, void* address, size_t bytes);

  ucp_mem_h handle() const { return handle_.get(); }
  void* address() const { return range_.address; }
  size_t bytes() const { return range_.bytes; }

  // What goes into a descriptor: opaque, 9 to some hundred bytes.
  absl::string_view packed_key() const { return packed_key_; }
  // The memory domains that registered the range, a bit each; names by Context::DomainNames.
  uint64_t md_map() const { return md_map_; }

 private:
  struct Deleter {
    ucp_context_h context;
    void operator()(ucp_mem_h memory) const { (void)ucp_mem_unmap(context, memory); }
  };
  using Handle = std::unique_ptr<ucp_mem, Deleter>;

  struct Range {
    void* address;
    size_t bytes;
  };

  MappedMemory(Handle handle, Range range, std::string packed_key, uint64_t md_map)
      : handle_(std::move(handle)),
        range_(range),
        packed_key_(std::move(packed_key)),
        md_map_(md_map) {}

  Handle handle_;
  Range range_;
  std::string packed_key_;
  uint64_t md_map_;
};

// The first eight bytes of a packed key, little-endian: the map of the domains that registered the
// memory. Nothing on a key that is too short to have one.
absl::StatusOr<uint64_t> MdMapOfKey(absl::string_view packed_key);

}  // namespace rdmalab::ucx

#endif  // RDMALAB_ENGINE_UCX_MEMORY_H_
