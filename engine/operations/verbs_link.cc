#include "engine/operations/verbs_link.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/base/hex.h"
#include "engine/base/json_object.h"
#include "engine/base/json_text.h"
#include "engine/base/status.h"
#include "engine/operations/driver_loops.h"

namespace rdmalab {
namespace {

constexpr int64_t kMaxPacket = 0xffffff;
constexpr int64_t kMaxWord = 0xffffffff;
// A look at the connection's events is a system call: not in each turn while messages come.
constexpr uint64_t kTurnsPerLook = 4096;

verbs::QueuePairOptions QueuesOf(Side side, const CellSpec& spec) {
  if (side == Side::kConsumer) {
    return {.sends = static_cast<uint32_t>(spec.window),
            .receives = 1,
            .inline_bytes = spec.inlined() ? static_cast<uint32_t>(spec.size_bytes) : 0};
  }
  if (spec.op != RemoteOperation::kSend) return {};
  return {.sends = verbs::kCreditRequests,
          .receives = static_cast<uint32_t>(spec.recv_depth),
          .inline_bytes = verbs::kCreditBytes};
}

absl::StatusOr<ibv_gid> GidOf(const std::string& hex) {
  ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, FromHex(hex));
  ibv_gid gid = {};
  if (bytes.size() != sizeof(gid.raw)) return absl::DataLossError("a GID of another length");
  std::memcpy(gid.raw, bytes.data(), sizeof(gid.raw));
  return gid;
}

}  // namespace

absl::StatusOr<std::unique_ptr<VerbsLink>> VerbsLink::Create(const Options& options) {
  VerbsBackend& backend = options.backend;
  ASSIGN_OR_RETURN(
      verbs::QueuePair pair,
      verbs::QueuePair::Create(backend.domain(), QueuesOf(options.side, options.spec)));
  std::unique_ptr<VerbsLink> link(new VerbsLink(options, std::move(pair)));
  if (options.side == Side::kOwner && backend.connect() == ConnectBy::kRdmacm) {
    ASSIGN_OR_RETURN(link->connection_, verbs::ManagedConnection::ListenOn(backend.device()));
  }
  backend.mailbox().posted.store(options.spec.recv_depth, std::memory_order_relaxed);
  link->not_ready_before_ = backend.device().ReceiverNotReady();
  link->offer_ = link->OfferText();
  return link;
}

std::string VerbsLink::OfferText() const {
  const verbs::QueuePairAddress& address = pair_.address();
  VerbsBackend& backend = options_.backend;
  return JsonLine({{"number", address.number},
                   {"first_packet", address.first_packet},
                   {"lid", address.lid},
                   {"gid", ToHex({address.gid.raw, sizeof(address.gid.raw)})},
                   {"mtu", address.mtu},
                   {"reads", address.reads},
                   {"address", reinterpret_cast<uintptr_t>(options_.memory.address())},
                   {"key", options_.region.remote_key()},
                   {"mailbox", reinterpret_cast<uintptr_t>(&backend.mailbox())},
                   {"mailbox_key", backend.mailbox_region().remote_key()},
                   {"listens", connection_ == nullptr ? "" : connection_->address()},
                   {"port", connection_ == nullptr ? 0 : connection_->port()}});
}

absl::StatusOr<verbs::QueuePairAddress> VerbsLink::ReadOffer(const std::string& peer_offer) {
  ASSIGN_OR_RETURN(const nlohmann::json value, ParseJson(peer_offer));
  JsonObject offer(value, "offer");
  verbs::QueuePairAddress peer;
  peer.number = static_cast<uint32_t>(offer.Integer("number", 0, kMaxPacket));
  peer.first_packet = static_cast<uint32_t>(offer.Integer("first_packet", 0, kMaxPacket));
  peer.lid = static_cast<uint16_t>(offer.Integer("lid", 0, 0xffff));
  const std::string gid = offer.String("gid");
  peer.mtu = static_cast<int>(offer.Integer("mtu", IBV_MTU_256, IBV_MTU_4096));
  peer.reads = static_cast<int>(offer.Integer("reads", 0, 255));
  remote_.address = offer.Unsigned64("address");
  remote_.key = static_cast<uint32_t>(offer.Integer("key", 0, kMaxWord));
  remote_.mailbox = offer.Unsigned64("mailbox");
  remote_.mailbox_key = static_cast<uint32_t>(offer.Integer("mailbox_key", 0, kMaxWord));
  remote_.queue_pair = peer.number;
  remote_.listens = offer.String("listens");
  remote_.port = static_cast<uint16_t>(offer.Integer("port", 0, 0xffff));
  RETURN_IF_ERROR(offer.Finish());
  ASSIGN_OR_RETURN(peer.gid, GidOf(gid));
  return peer;
}

absl::Status VerbsLink::Connect(const std::string& peer_offer, const Deadline& deadline) {
  ASSIGN_OR_RETURN(const verbs::QueuePairAddress peer, ReadOffer(peer_offer));
  const bool owner = options_.side == Side::kOwner;
  if (owner && options_.spec.op == RemoteOperation::kSend) RETURN_IF_ERROR(StartReceiver());
  if (options_.backend.connect() == ConnectBy::kExchange) {
    RETURN_IF_ERROR(pair_.Connect(peer));
    connected_ = true;
    return absl::OkStatus();
  }
  if (owner) return absl::OkStatus();  // the consumer, told where, comes while this side serves
  ASSIGN_OR_RETURN(connection_,
                   verbs::ManagedConnection::ConnectTo(options_.backend.device(), remote_.listens,
                                                       remote_.port, pair_, deadline));
  connected_ = true;
  return absl::OkStatus();
}

// In state INIT, before anything can come.
absl::Status VerbsLink::StartReceiver() {
  receiver_ = std::make_unique<verbs::Receiver>(
      verbs::ReceiverOptions{.pair = pair_.handle(),
                             .receive_completions = pair_.receive_completions(),
                             .send_completions = pair_.send_completions(),
                             .address = reinterpret_cast<uintptr_t>(options_.memory.address()),
                             .key = options_.region.local_key(),
                             .bytes = static_cast<uint32_t>(options_.spec.size_bytes),
                             .stride = options_.working_set.stride(),
                             .slots = options_.working_set.slots(),
                             .depth = options_.spec.recv_depth,
                             .batch = options_.spec.credit_every(),
                             .mailbox = remote_.mailbox,
                             .mailbox_key = remote_.mailbox_key});
  return verbs::ErrnoToStatus(receiver_->Start(), "ibv_post_recv",
                              absl::StrCat(options_.spec.recv_depth, " on ", pair_.ToString()));
}

verbs::PosterOptions VerbsLink::PosterOptionsOf() const {
  return {.pair = pair_.handle(),
          .local_address = reinterpret_cast<uintptr_t>(options_.memory.address()),
          .local_key = options_.region.local_key(),
          .remote_address = remote_.address,
          .remote_key = remote_.key,
          .bytes = static_cast<uint32_t>(options_.spec.size_bytes),
          .stride = options_.working_set.stride(),
          .slots = options_.working_set.slots(),
          .signal_every = options_.spec.signal_every(),
          .longest_list = options_.spec.post_list()};
}

template <ibv_wr_opcode kOpcode, bool kInline>
absl::Status VerbsLink::Run(const MeasureContext& context, Measured& measured) {
  VerbsDriver<kOpcode, kInline> driver(PosterOptionsOf(), pair_.send_completions(),
                                       options_.backend.mailbox(), pair_.ToString());
  const auto glance = [&]() -> absl::Status {
    RETURN_IF_ERROR(context.look());
    return connection_ == nullptr ? absl::OkStatus() : connection_->LookAlive();
  };
  // Asking the device may take its firmware a tenth of a millisecond: only while nothing completes.
  const auto look = [&]() -> absl::Status {
    RETURN_IF_ERROR(glance());
    return options_.backend.device().LookAlive();
  };
  Loops<VerbsDriver<kOpcode, kInline>> loops(driver, options_.spec, context.clock, context.patience,
                                             {.look = look, .glance = glance});
  return loops.Run(measured);
}

template <ibv_wr_opcode kOpcode>
absl::Status VerbsLink::RunWrite(const MeasureContext& context, Measured& measured) {
  return options_.spec.inlined() ? Run<kOpcode, true>(context, measured)
                                 : Run<kOpcode, false>(context, measured);
}

absl::Status VerbsLink::Measure(const MeasureContext& context, Measured& measured) {
  switch (options_.spec.op) {
    case RemoteOperation::kRead:
      return Run<IBV_WR_RDMA_READ, false>(context, measured);
    case RemoteOperation::kWrite:
      return RunWrite<IBV_WR_RDMA_WRITE>(context, measured);
    case RemoteOperation::kSend:
      return RunWrite<IBV_WR_SEND>(context, measured);
  }
  return absl::InternalError("an operation that does not exist");
}

absl::StatusOr<bool> VerbsLink::Serve() {
  if (!connected_) {
    ASSIGN_OR_RETURN(connected_, connection_->Accept(pair_, remote_.queue_pair));
    return true;
  }
  const bool look = receiver_ == nullptr || ++turns_ % kTurnsPerLook == 0;
  if (look && connection_ != nullptr) RETURN_IF_ERROR(connection_->LookAlive());
  if (receiver_ == nullptr) return false;  // one-sided: this side has nothing to do
  if (receiver_->Serve()) return true;
  RETURN_IF_ERROR(verbs::ErrnoToStatus(receiver_->error(), "ibv_post_recv", pair_.ToString()));
  return verbs::CompletionToStatus(receiver_->status(), receiver_->vendor_error(),
                                   pair_.ToString());
}

LinkFacts VerbsLink::Facts() const {
  LinkFacts facts;
  facts.facts["registered"] = options_.region.how();
  facts.facts["connected_by"] = std::string(Name(options_.backend.connect()));
  facts.counters["queue_pair"] = pair_.address().number;
  facts.counters["mtu_bytes"] = pair_.mtu_bytes();
  facts.counters["outstanding_reads"] = pair_.outstanding_reads();
  for (const auto& [name, value] : options_.backend.device().ReceiverNotReady()) {
    const auto before = not_ready_before_.find(name);
    facts.counters[name] = value - (before == not_ready_before_.end() ? 0 : before->second);
  }
  return facts;
}

}  // namespace rdmalab
