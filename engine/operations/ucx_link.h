// One cell over UCX. Made by UcxBackend alone.
#ifndef RDMALAB_ENGINE_OPERATIONS_UCX_LINK_H_
#define RDMALAB_ENGINE_OPERATIONS_UCX_LINK_H_

#include <memory>
#include <optional>
#include <string>

#include "engine/operations/backend.h"
#include "engine/operations/ucx_backend.h"
#include "engine/operations/ucx_receiver.h"
#include "engine/ucx/active_message.h"
#include "engine/ucx/remote_key.h"

namespace rdmalab {

class UcxLink : public OperationLink {
 public:
  struct Options {
    UcxBackend& backend;
    Side side;
    CellSpec spec;
    WorkingSet working_set;
    OperationMemory& memory;
    const ucx::MappedMemory& registered;
    uint64_t number;  // of the link, on this side
  };

  static absl::StatusOr<std::unique_ptr<UcxLink>> Create(const Options& options);
  ~UcxLink() override;

  const std::string& offer() const override { return offer_; }
  absl::Status Connect(const std::string& peer_offer, const Deadline& deadline) override;
  absl::Status Measure(const MeasureContext& context, Measured& measured) override;
  absl::StatusOr<bool> Serve() override;
  uint64_t received() const override { return receiver_ == nullptr ? 0 : receiver_->received(); }
  bool sleeps() const override { return false; }  // software emulation, acknowledgements
  LinkFacts Facts() const override;

  ucx::Kept OnCredit(const ucx::Arrival& arrival);  // called by UCX

 private:
  explicit UcxLink(const Options& options) : options_(options) {}

  template <typename Driver>
  absl::Status RunLoops(Driver& driver, const MeasureContext& context, Measured& measured);

  const Options options_;
  std::string offer_;
  ucx::Endpoint* endpoint_ = nullptr;
  uint64_t peer_address_ = 0;
  std::optional<ucx::RemoteKey> key_;
  std::unique_ptr<UcxReceiver> receiver_;
  uint64_t arrived_ = 0;  // as the peer's credits say
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_OPERATIONS_UCX_LINK_H_
