// Control messages and chunks over UCX active messages (`via: am`).
//
// One AmInbox per worker receives the replies of all arms; each arm has its own AmChannel, because
// each arm has its own endpoint. One get is under way at a time.
#ifndef RDMALAB_ENGINE_RENDEZVOUS_AM_CHANNEL_H_
#define RDMALAB_ENGINE_RENDEZVOUS_AM_CHANNEL_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "engine/rendezvous/control_channel.h"
#include "engine/rendezvous/descriptor.h"
#include "engine/ucx/active_message.h"
#include "engine/ucx/endpoint.h"
#include "engine/ucx/request.h"
#include "engine/ucx/worker.h"

namespace rdmalab {

class AmInbox {
 public:
  // Chunks in flight of one pull; also bounds what a peer can make us remember.
  static constexpr size_t kCapacity = 256;

  // `worker` outlives the inbox.
  static absl::StatusOr<std::unique_ptr<AmInbox>> Create(const ucx::Worker& worker);
  ~AmInbox();
  AmInbox(const AmInbox&) = delete;
  AmInbox& operator=(const AmInbox&) = delete;

  const ucx::Worker& worker() const { return worker_; }

  // The next reply whose data is complete, or null; valid until the next call.
  absl::StatusOr<const ControlChannel::Received*> Next();

  void BeginChunks(const ChunkSink& sink) { sink_ = sink; }
  void EndChunks() { sink_.reset(); }

  // Receives that UCX has not finished: their destination still belongs to it.
  bool Receiving();
  // Forgets all that has arrived, for the start of a get after one that failed.
  void Clear();

 private:
  struct Entry {
    ControlChannel::Received received;
    ucx::Request receive;  // of a chunk that came as an offer
  };

  explicit AmInbox(const ucx::Worker& worker) : worker_(worker) {}

  ucx::Kept OnReply(const ucx::Arrival& arrival);
  void TakeChunk(const Reply& reply, const ucx::Arrival& arrival);
  void TakeDescriptor(const Reply& reply, const ucx::Arrival& arrival);
  Entry* Push(const Reply& reply);

  const ucx::Worker& worker_;
  std::optional<ChunkSink> sink_;
  std::array<Entry, kCapacity> entries_;
  size_t count_ = 0;  // the first `count_` entries are in use, in order of arrival
  ControlChannel::Received current_;
  std::array<uint8_t, kMaxDescriptorBytes> descriptor_;
  absl::Status broken_;  // a peer that sends what is no reply
};

class AmChannel : public ControlChannel {
 public:
  // Both outlive the channel.
  AmChannel(AmInbox& inbox, ucx::Endpoint& endpoint) : inbox_(inbox), endpoint_(endpoint) {}

  absl::Status Send(const Request& request, ucx::Patience& patience) override;
  absl::StatusOr<const Received*> Poll() override;
  void BeginChunks(const ChunkSink& sink) override { inbox_.BeginChunks(sink); }
  void EndChunks() override { inbox_.EndChunks(); }

 private:
  // A request of 48 bytes is sent at once on every transport; only a full queue makes one wait.
  static constexpr size_t kUnsent = 8;

  AmInbox& inbox_;
  ucx::Endpoint& endpoint_;
  std::array<ucx::Request, kUnsent> sending_;
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_RENDEZVOUS_AM_CHANNEL_H_
