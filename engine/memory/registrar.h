// How an arena gets registered with a NIC, without this room knowing which library does it.
//
// The user of a library implements both classes in a few lines around its registration object, e.g.
// around ucx::MappedMemory; casting Registration back to that class is how the user reaches the
// local handle.
#ifndef RDMALAB_ENGINE_MEMORY_REGISTRAR_H_
#define RDMALAB_ENGINE_MEMORY_REGISTRAR_H_

#include <cstddef>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace rdmalab {

// A range is registered as long as this lives.
class Registration {
 public:
  virtual ~Registration() = default;
  // What a peer needs to read the range; the same for every slot in it.
  virtual absl::string_view packed_key() const = 0;
};

class Registrar {
 public:
  virtual ~Registrar() = default;
  // The range stays mapped longer than the result; an arena is page aligned, a caller's buffer may
  // not be.
  virtual absl::StatusOr<std::unique_ptr<Registration>> Register(uint8_t* address,
                                                                 size_t bytes) = 0;
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_MEMORY_REGISTRAR_H_
