// For tests: a control channel that calls an owner service directly, so that it can lie, fail and
// count.
#ifndef RDMALAB_ENGINE_ARMS_DIRECT_CHANNEL_H_
#define RDMALAB_ENGINE_ARMS_DIRECT_CHANNEL_H_

#include <cstring>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "engine/rendezvous/control_channel.h"
#include "engine/rendezvous/owner_service.h"

namespace rdmalab {

class DirectChannel : public ControlChannel {
 public:
  explicit DirectChannel(OwnerService& service) : service_(service) {}

  absl::Status Send(const Request& request, ucx::Patience&) override {
    ++requests;
    if (!broken.ok()) return broken;
    if (silent_from.has_value() && request.kind >= *silent_from) return absl::OkStatus();
    const OwnerService::Answer answer = service_.Handle(request);
    if (answer.reply.kind == ReplyKind::kChunk) {
      std::memcpy(sink_.to.data() + answer.reply.offset, answer.data.data(), answer.data.size());
    }
    replies_.push_back(answer.reply);
    if (wrong_chunks && answer.reply.kind == ReplyKind::kChunk) ++replies_.back().offset;
    if (answer.reply.kind == ReplyKind::kRdma) {
      descriptor_.assign(answer.data.begin(), answer.data.end());
      if (lie) lie(descriptor_);
    }
    return absl::OkStatus();
  }

  absl::StatusOr<const Received*> Poll() override {
    if (replies_.empty()) return nullptr;
    received_ = {.reply = replies_.front(), .data = {}};
    replies_.pop_front();
    if (received_.reply.kind == ReplyKind::kRdma) received_.data = descriptor_;
    return &received_;
  }

  void BeginChunks(const ChunkSink& sink) override { sink_ = sink; }
  void EndChunks() override {}

  std::function<void(std::vector<uint8_t>&)> lie;
  std::optional<RequestKind> silent_from;  // requests of this kind and above get no answer
  bool wrong_chunks = false;               // say that they are another part of the payload
  int requests = 0;
  absl::Status broken;

 private:
  OwnerService& service_;
  ChunkSink sink_;
  std::deque<Reply> replies_;
  std::vector<uint8_t> descriptor_;
  Received received_;
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_ARMS_DIRECT_CHANNEL_H_
