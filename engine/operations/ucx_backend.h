// The operations engine over UCX: read is ucp_get, write is ucp_put with a flush, send is an active
// message. One endpoint serves all cells until it fails; the next cell then gets a fresh one.
#ifndef RDMALAB_ENGINE_OPERATIONS_UCX_BACKEND_H_
#define RDMALAB_ENGINE_OPERATIONS_UCX_BACKEND_H_

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "engine/operations/backend.h"
#include "engine/ucx/context.h"
#include "engine/ucx/endpoint.h"
#include "engine/ucx/memory.h"
#include "engine/ucx/worker.h"

namespace rdmalab {

class UcxBackend : public OperationBackend {
 public:
  struct Options {
    const ucx::Context& context;  // both outlive the backend
    const ucx::Worker& worker;
    std::string peer_address;  // of the peer's worker
    ucx::ErrorHandling error_handling = ucx::ErrorHandling::kPeer;
  };

  explicit UcxBackend(Options options) : options_(std::move(options)) {}

  absl::string_view name() const override { return "ucx"; }
  void Progress() override { options_.worker.Progress(); }
  absl::Status Close(const Deadline& deadline) override;
  absl::StatusOr<std::unique_ptr<OperationLink>> Open(Side side, const CellSpec& spec,
                                                      const WorkingSet& working_set,
                                                      OperationMemory& memory) override;

  const ucx::Context& context() const { return options_.context; }
  const ucx::Worker& worker() const { return options_.worker; }

  // The endpoint to the peer: made when there is none or it has failed.
  absl::StatusOr<ucx::Endpoint*> Endpoint();

 private:
  const Options options_;
  std::map<uint8_t*, ucx::MappedMemory> registered_;
  std::optional<ucx::Endpoint> endpoint_;
  uint64_t links_ = 0;
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_OPERATIONS_UCX_BACKEND_H_
