// What a process of the operations engine holds: its library, opened, and its memory; torn down
// with the library first, so that nothing is unmapped that an adapter still knows.
#ifndef RDMALAB_ENGINE_RUN_OPERATION_PROCESS_H_
#define RDMALAB_ENGINE_RUN_OPERATION_PROCESS_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "engine/exchange/card.h"
#include "engine/operations/backend.h"
#include "engine/operations/memory_set.h"
#include "engine/operations/verbs_backend.h"
#include "engine/plan/plan.h"
#include "engine/run/process_record.h"
#include "engine/run/ucx_process.h"

namespace rdmalab {

class OperationProcess {
 public:
  // Opens what the plan's lane names. For verbs the environment says which port (RDMALAB_DEVICE,
  // RDMALAB_GID_INDEX), and the lane's RDMALAB_CONNECT who connects (exchange, or rdmacm).
  static absl::StatusOr<std::unique_ptr<OperationProcess>> Create(const Plan& plan);

  // Adds library or device to the record.
  absl::Status Describe(ProcessRecord& record) const;

  // The card to meet the peer with; `role` and token are the caller's.
  Card CardFor(const std::string& role, const std::string& token, const Plan& plan,
               const ProcessRecord& record) const;
  // After the meeting.
  void Met(const Plan& plan, const Card& peer);

  OperationBackend& backend() { return *backend_; }
  MemorySet& memory() { return memory_; }
  bool over_ucx() const { return ucx_ != nullptr; }

 private:
  explicit OperationProcess(const Plan& plan);

  MemorySet memory_;
  std::unique_ptr<UcxProcess> ucx_;
  std::unique_ptr<OperationBackend> backend_;
  const VerbsBackend* verbs_ = nullptr;
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_RUN_OPERATION_PROCESS_H_
