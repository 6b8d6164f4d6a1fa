#include "engine/memory/registered_buffer.h"

#include "engine/base/status.h"

namespace rdmalab {

absl::StatusOr<RegisteredBuffer> RegisteredBuffer::Create(Registrar& registrar,
                                                          absl::Span<uint8_t> buffer) {
  if (buffer.empty()) {
    return absl::InvalidArgumentError("a caller's buffer of 0 bytes cannot be registered");
  }
  ASSIGN_OR_RETURN(std::unique_ptr<Registration> registration,
                   registrar.Register(buffer.data(), buffer.size()));
  return RegisteredBuffer(buffer, std::move(registration));
}

}  // namespace rdmalab
