// A caller's own buffer, registered once: the destination of get_into.
#ifndef RDMALAB_ENGINE_MEMORY_REGISTERED_BUFFER_H_
#define RDMALAB_ENGINE_MEMORY_REGISTERED_BUFFER_H_

#include <cstddef>
#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "engine/memory/registrar.h"

namespace rdmalab {

class RegisteredBuffer {
 public:
  // Registers `buffer`, which stays allocated longer than the result.
  // InvalidArgument when it is empty.
  static absl::StatusOr<RegisteredBuffer> Create(Registrar& registrar, absl::Span<uint8_t> buffer);

  uint8_t* data() const { return buffer_.data(); }
  size_t bytes() const { return buffer_.size(); }
  const Registration& registration() const { return *registration_; }

 private:
  RegisteredBuffer(absl::Span<uint8_t> buffer, std::unique_ptr<Registration> registration)
      : buffer_(buffer), registration_(std::move(registration)) {}

  absl::Span<uint8_t> buffer_;
  std::unique_ptr<Registration> registration_;
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_MEMORY_REGISTERED_BUFFER_H_
