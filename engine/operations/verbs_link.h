// One cell over a queue pair of its own. Made by VerbsBackend alone.
#ifndef RDMALAB_ENGINE_OPERATIONS_VERBS_LINK_H_
#define RDMALAB_ENGINE_OPERATIONS_VERBS_LINK_H_

#include <map>
#include <memory>
#include <string>

#include "engine/operations/backend.h"
#include "engine/operations/verbs_backend.h"
#include "engine/verbs/managed_connection.h"
#include "engine/verbs/queue_pair.h"
#include "engine/verbs/receiver.h"

namespace rdmalab {

class VerbsLink : public OperationLink {
 public:
  struct Options {
    VerbsBackend& backend;
    Side side;
    CellSpec spec;
    WorkingSet working_set;
    OperationMemory& memory;
    const verbs::MemoryRegion& region;
  };

  static absl::StatusOr<std::unique_ptr<VerbsLink>> Create(const Options& options);

  const std::string& offer() const override { return offer_; }
  absl::Status Connect(const std::string& peer_offer, const Deadline& deadline) override;
  absl::Status Measure(const MeasureContext& context, Measured& measured) override;
  absl::StatusOr<bool> Serve() override;
  uint64_t received() const override { return receiver_ == nullptr ? 0 : receiver_->received(); }
  bool sleeps() const override { return receiver_ == nullptr && connected_; }
  LinkFacts Facts() const override;

 private:
  // What the peer said of its memory, and where it listens.
  struct Remote {
    uint64_t address = 0;
    uint32_t key = 0;
    uint64_t mailbox = 0;
    uint32_t mailbox_key = 0;
    uint32_t queue_pair = 0;
    std::string listens;  // the IP address at which librdmacm finds it
    uint16_t port = 0;
  };

  VerbsLink(const Options& options, verbs::QueuePair pair)
      : options_(options), pair_(std::move(pair)) {}

  template <ibv_wr_opcode kOpcode, bool kInline>
  absl::Status Run(const MeasureContext& context, Measured& measured);
  template <ibv_wr_opcode kOpcode>
  absl::Status RunWrite(const MeasureContext& context, Measured& measured);
  verbs::PosterOptions PosterOptionsOf() const;
  std::string OfferText() const;
  absl::StatusOr<verbs::QueuePairAddress> ReadOffer(const std::string& peer_offer);
  absl::Status StartReceiver();

  const Options options_;
  verbs::QueuePair pair_;
  std::string offer_;
  Remote remote_;
  bool connected_ = false;
  uint64_t turns_ = 0;  // of serving
  std::unique_ptr<verbs::Receiver> receiver_;
  std::unique_ptr<verbs::ManagedConnection> connection_;  // by librdmacm; goes before the pair
  std::map<std::string, int64_t> not_ready_before_;
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_OPERATIONS_VERBS_LINK_H_
