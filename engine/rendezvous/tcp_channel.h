// Control messages and chunks over the session's TCP connection (`via: tcp`).
#ifndef RDMALAB_ENGINE_RENDEZVOUS_TCP_CHANNEL_H_
#define RDMALAB_ENGINE_RENDEZVOUS_TCP_CHANNEL_H_

#include <array>
#include <cstdint>

#include "engine/exchange/frame_connection.h"
#include "engine/rendezvous/control_channel.h"
#include "engine/rendezvous/descriptor.h"

namespace rdmalab {

class TcpChannel : public ControlChannel {
 public:
  // `connection` outlives the channel. Between two gets others may use the connection.
  explicit TcpChannel(FrameConnection& connection) : connection_(connection) {}

  absl::Status Send(const Request& request, ucx::Patience& patience) override;
  absl::StatusOr<const Received*> Poll() override;
  void BeginChunks(const ChunkSink& sink) override;
  void EndChunks() override;

 private:
  // What of a reply frame is being read.
  enum class Reading { kHeader, kRecord, kDescriptor, kChunk, kUnwanted };

  absl::StatusOr<bool> ReadRecord();
  absl::StatusOr<bool> ReadData();
  Reading WhereTheDataGoes() const;

  FrameConnection& connection_;
  Reading reading_ = Reading::kHeader;
  ReplyBytes record_{};
  std::array<uint8_t, kMaxDescriptorBytes> data_;
  Received received_;
  bool taking_chunks_ = false;
  ChunkSink sink_;
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_RENDEZVOUS_TCP_CHANNEL_H_
