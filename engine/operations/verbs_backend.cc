#include "engine/operations/verbs_backend.h"

#include <utility>

#include "engine/base/status.h"
#include "engine/operations/verbs_link.h"

namespace rdmalab {

absl::string_view Name(ConnectBy connect) {
  return connect == ConnectBy::kRdmacm ? "rdmacm" : "exchange";
}

absl::StatusOr<std::unique_ptr<VerbsBackend>> VerbsBackend::Create(const Options& options) {
  ASSIGN_OR_RETURN(verbs::Device device, verbs::Device::Open(options.device));
  std::unique_ptr<VerbsBackend> backend(new VerbsBackend(std::move(device), options.connect));
  ASSIGN_OR_RETURN(verbs::ProtectionDomain domain,
                   verbs::ProtectionDomain::Create(backend->device_));
  backend->domain_ = std::make_unique<verbs::ProtectionDomain>(std::move(domain));
  ASSIGN_OR_RETURN(verbs::MemoryRegion region,
                   verbs::MemoryRegion::Create(*backend->domain_, backend->mailbox_.get(),
                                               sizeof(CreditMailbox)));
  backend->mailbox_region_ = std::make_unique<verbs::MemoryRegion>(std::move(region));
  return backend;
}

absl::StatusOr<std::unique_ptr<OperationLink>> VerbsBackend::Open(Side side, const CellSpec& spec,
                                                                  const WorkingSet& working_set,
                                                                  OperationMemory& memory) {
  auto found = registered_.find(memory.address());
  if (found == registered_.end()) {
    ASSIGN_OR_RETURN(verbs::MemoryRegion region, verbs::MemoryRegion::Create(*domain_, memory));
    found = registered_.emplace(memory.address(), std::move(region)).first;
  }
  return VerbsLink::Create({.backend = *this,
                            .side = side,
                            .spec = spec,
                            .working_set = working_set,
                            .memory = memory,
                            .region = found->second});
}

}  // namespace rdmalab
