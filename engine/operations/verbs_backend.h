// The operations engine over verbs: a fresh reliable connected queue pair per cell, deep enough for
// its window, connected over addresses that the two sides exchange, or by librdmacm.
#ifndef RDMALAB_ENGINE_OPERATIONS_VERBS_BACKEND_H_
#define RDMALAB_ENGINE_OPERATIONS_VERBS_BACKEND_H_

#include <map>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "engine/operations/backend.h"
#include "engine/operations/verbs_drivers.h"
#include "engine/verbs/device.h"
#include "engine/verbs/handles.h"

namespace rdmalab {

// Who makes a queue pair's connection: the two sides over their control connection, with an
// explicit GID index, or librdmacm.
enum class ConnectBy { kExchange, kRdmacm };

// "exchange" or "rdmacm", as RDMALAB_CONNECT and the record spell it.
absl::string_view Name(ConnectBy connect);

class VerbsBackend : public OperationBackend {
 public:
  struct Options {
    verbs::DeviceOptions device;
    ConnectBy connect = ConnectBy::kExchange;
  };

  // Opens the device. What Device::Open says.
  static absl::StatusOr<std::unique_ptr<VerbsBackend>> Create(const Options& options);

  absl::string_view name() const override { return "verbs"; }
  void Progress() override {}
  absl::Status Close(const Deadline& /*deadline*/) override { return absl::OkStatus(); }
  absl::StatusOr<std::unique_ptr<OperationLink>> Open(Side side, const CellSpec& spec,
                                                      const WorkingSet& working_set,
                                                      OperationMemory& memory) override;

  const verbs::Device& device() const { return device_; }
  ConnectBy connect() const { return connect_; }
  const verbs::ProtectionDomain& domain() const { return *domain_; }
  CreditMailbox& mailbox() { return *mailbox_; }
  const verbs::MemoryRegion& mailbox_region() const { return *mailbox_region_; }

 private:
  VerbsBackend(verbs::Device device, ConnectBy connect)
      : device_(std::move(device)),
        connect_(connect),
        mailbox_(std::make_unique<CreditMailbox>()) {}

  verbs::Device device_;
  const ConnectBy connect_;
  std::unique_ptr<verbs::ProtectionDomain> domain_;
  std::unique_ptr<CreditMailbox> mailbox_;  // before its region
  std::unique_ptr<verbs::MemoryRegion> mailbox_region_;
  std::map<uint8_t*, verbs::MemoryRegion> registered_;
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_OPERATIONS_VERBS_BACKEND_H_
