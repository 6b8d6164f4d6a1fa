// An arm's own way to the owner: its UCX endpoint with the unpacked keys, and the channel of its
// control messages. Each arm has its own, so that the first transfer of each shows its wire-up.
#ifndef RDMALAB_ENGINE_ARMS_ARM_LINK_H_
#define RDMALAB_ENGINE_ARMS_ARM_LINK_H_

#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "engine/rendezvous/am_channel.h"
#include "engine/rendezvous/control_channel.h"
#include "engine/rendezvous/key_cache.h"
#include "engine/ucx/endpoint.h"
#include "engine/ucx/patience.h"
#include "engine/ucx/worker.h"

namespace rdmalab {

struct LinkOptions {
  std::string owner_address;  // of the owner's worker
  ucx::ErrorHandling error_handling = ucx::ErrorHandling::kPeer;
  bool control_over_am = false;
};

class ArmLink {
 public:
  // All outlive the link. `tcp` carries the control messages unless they go over active messages.
  ArmLink(const ucx::Worker& worker, AmInbox& inbox, ControlChannel& tcp, LinkOptions options)
      : worker_(worker), inbox_(inbox), tcp_(tcp), options_(std::move(options)) {}

  // True while there is an endpoint that works.
  bool connected() const { return endpoint_ != nullptr && !endpoint_->failed(); }

  // A fresh endpoint, connected: returns when the transports are wired up. One that has failed is
  // replaced, with all that hangs on it.
  absl::Status Connect(ucx::Patience& patience);

  // Only while connected.
  ucx::Endpoint& endpoint() { return *endpoint_; }
  KeyCache& keys() { return *keys_; }

  // Over active messages: only while connected.
  ControlChannel& control() { return options_.control_over_am ? *am_ : tcp_; }
  bool control_over_am() const { return options_.control_over_am; }
  AmInbox& inbox() { return inbox_; }

  // Ends what is under way on the endpoint, by force where its error handling allows that.
  void Break();

  // What was sent has arrived and the endpoint is closed; nothing to do when there is none.
  absl::Status Close(ucx::Patience& patience);

 private:
  void Drop();

  const ucx::Worker& worker_;
  AmInbox& inbox_;
  ControlChannel& tcp_;
  LinkOptions options_;
  std::unique_ptr<ucx::Endpoint> endpoint_;  // before what refers to it
  std::optional<KeyCache> keys_;
  std::optional<AmChannel> am_;
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_ARMS_ARM_LINK_H_
