#include "engine/rendezvous/ucx_registrar.h"

#include <utility>

#include "engine/base/status.h"

namespace rdmalab {
namespace {

class UcxRegistration : public Registration {
 public:
  explicit UcxRegistration(ucx::MappedMemory memory) : memory_(std::move(memory)) {}

  absl::string_view packed_key() const override {
    return {memory_.packed_key().data(), memory_.packed_key().size()};
  }
  const ucx::MappedMemory& memory() const { return memory_; }

 private:
  ucx::MappedMemory memory_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Registration>> UcxRegistrar::Register(uint8_t* address,
                                                                     size_t bytes) {
  ASSIGN_OR_RETURN(ucx::MappedMemory memory, ucx::MappedMemory::Create(context_, address, bytes));
  registrations_.fetch_add(1, std::memory_order_relaxed);
  return std::make_unique<UcxRegistration>(std::move(memory));
}

const ucx::MappedMemory& MappedMemoryOf(const Registration& registration) {
  return static_cast<const UcxRegistration&>(registration).memory();
}

}  // namespace rdmalab
