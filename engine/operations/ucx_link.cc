#include "engine/operations/ucx_link.h"

#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "engine/base/hex.h"
#include "engine/base/json_object.h"
#include "engine/base/json_text.h"
#include "engine/base/status.h"
#include "engine/operations/driver_loops.h"
#include "engine/operations/ucx_drivers.h"
#include "engine/ucx/patience.h"

namespace rdmalab {
namespace {

// What is in flight when a loop fails: a forced close ends it at once, shared memory by itself.
constexpr absl::Duration kSettle = absl::Seconds(5);

std::string HexOf(absl::string_view bytes) {
  return ToHex({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
}

}  // namespace

absl::StatusOr<std::unique_ptr<UcxLink>> UcxLink::Create(const Options& options) {
  std::unique_ptr<UcxLink> link(new UcxLink(options));
  const bool send = options.spec.op == RemoteOperation::kSend;
  const ucx::Worker& worker = options.backend.worker();
  if (send && options.side == Side::kConsumer) {
    RETURN_IF_ERROR(ucx::SetHandler<&UcxLink::OnCredit>(worker, kUcxCredit, link.get()));
  }
  link->offer_ = JsonLine({{"address", reinterpret_cast<uintptr_t>(options.memory.address())},
                           {"key", HexOf(options.registered.packed_key())},
                           {"link", options.number}});
  return link;
}

UcxLink::~UcxLink() {
  if (options_.spec.op == RemoteOperation::kSend && options_.side == Side::kConsumer) {
    (void)ucx::ClearHandler(options_.backend.worker(), kUcxCredit);
  }
}

absl::Status UcxLink::Connect(const std::string& peer_offer, const Deadline& deadline) {
  ASSIGN_OR_RETURN(const nlohmann::json value, ParseJson(peer_offer));
  JsonObject offer(value, "offer");
  peer_address_ = offer.Unsigned64("address");
  const std::string key = offer.String("key");
  const uint64_t link = offer.Unsigned64("link");
  RETURN_IF_ERROR(offer.Finish());
  ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, FromHex(key));
  ASSIGN_OR_RETURN(endpoint_, options_.backend.Endpoint());
  if (options_.side == Side::kOwner) {
    if (options_.spec.op != RemoteOperation::kSend) return absl::OkStatus();
    ASSIGN_OR_RETURN(receiver_, UcxReceiver::Create({.worker = options_.backend.worker(),
                                                     .memory = options_.registered,
                                                     .address = options_.memory.address(),
                                                     .working_set = options_.working_set,
                                                     .credit_every = options_.spec.credit_every(),
                                                     .link = link}));
    return absl::OkStatus();
  }
  if (options_.spec.op != RemoteOperation::kSend) {
    ASSIGN_OR_RETURN(ucx::RemoteKey unpacked,
                     ucx::RemoteKey::Unpack(
                         *endpoint_, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
    key_.emplace(std::move(unpacked));
  }
  ucx::Patience patience(deadline);
  return endpoint_->Flush(patience);
}

ucx::Kept UcxLink::OnCredit(const ucx::Arrival& arrival) {
  UcxCredit credit;
  if (arrival.header.size() != sizeof(credit)) return ucx::Kept::kNo;
  std::memcpy(&credit, arrival.header.data(), sizeof(credit));
  // A credit of an earlier cell, whose link failed, may still be under way.
  if (credit.link == options_.number) arrived_ = credit.arrived;
  return ucx::Kept::kNo;
}

template <typename Driver>
absl::Status UcxLink::RunLoops(Driver& driver, const MeasureContext& context, Measured& measured) {
  Loops<Driver> loops(driver, options_.spec, context.clock, context.patience,
                      {.look = context.look, .glance = context.look});
  const absl::Status status = loops.Run(measured);
  if (status.ok()) return status;
  // Nothing may still write into the working set when the next cell poisons it.
  if (endpoint_->error_handling() == ucx::ErrorHandling::kPeer) (void)endpoint_->ForceClose();
  const Deadline settled = Deadline::After(context.clock, kSettle);
  while (!driver.quiet() && !settled.Expired()) driver.Poll();
  return status;
}

absl::Status UcxLink::Measure(const MeasureContext& context, Measured& measured) {
  const UcxPath path = {.worker = options_.backend.worker(),
                        .endpoint = *endpoint_,
                        .local = options_.registered,
                        .local_address = options_.memory.address(),
                        .remote_address = peer_address_,
                        .key = key_.has_value() ? &*key_ : nullptr,
                        .working_set = options_.working_set,
                        .spec = options_.spec};
  switch (options_.spec.op) {
    case RemoteOperation::kRead: {
      UcxReader reader(path);
      return RunLoops(reader, context, measured);
    }
    case RemoteOperation::kWrite: {
      UcxWriter writer(path);
      return RunLoops(writer, context, measured);
    }
    case RemoteOperation::kSend: {
      UcxSender sender(path, arrived_);
      return RunLoops(sender, context, measured);
    }
  }
  return absl::InternalError("an operation that does not exist");
}

absl::StatusOr<bool> UcxLink::Serve() {
  const unsigned found = options_.backend.worker().Progress();
  if (receiver_ == nullptr) return found > 0;
  ASSIGN_OR_RETURN(const bool busy, receiver_->Serve(*endpoint_));
  return busy || found > 0;
}

LinkFacts UcxLink::Facts() const {
  LinkFacts facts;
  if (options_.backend.context().HasNic()) {
    const bool nic = options_.backend.context().NicRegistered(options_.registered.md_map());
    facts.facts["registered"] = nic ? "nic" : "no nic";
  }
  // Of the owner's packed key, as the sample lines of the rendezvous engine name it.
  if (options_.side == Side::kOwner) {
    facts.facts["md_map"] = absl::StrCat(absl::Hex(options_.registered.md_map()));
  }
  return facts;
}

}  // namespace rdmalab
