#include "engine/rendezvous/tcp_channel.h"

#include "absl/strings/str_cat.h"
#include "engine/base/status.h"
#include "engine/rendezvous/wire.h"

namespace rdmalab {

absl::Status TcpChannel::Send(const Request& request, ucx::Patience& patience) {
  return connection_.Send(kFrameRequest, EncodeRequest(request), {}, [&patience]() {
    return patience.Spin() ? absl::OkStatus() : patience.verdict();
  });
}

void TcpChannel::BeginChunks(const ChunkSink& sink) {
  sink_ = sink;
  taking_chunks_ = true;
  connection_.ExpectBulk(true);
}

void TcpChannel::EndChunks() {
  taking_chunks_ = false;
  connection_.ExpectBulk(false);
}

absl::StatusOr<const ControlChannel::Received*> TcpChannel::Poll() {
  ASSIGN_OR_RETURN(const bool record, ReadRecord());
  if (!record) return nullptr;
  ASSIGN_OR_RETURN(const bool data, ReadData());
  if (!data) return nullptr;
  const bool wanted = reading_ != Reading::kUnwanted;
  reading_ = Reading::kHeader;
  return wanted ? &received_ : nullptr;
}

// True once the record of the current reply stands in received_.
absl::StatusOr<bool> TcpChannel::ReadRecord() {
  if (reading_ == Reading::kHeader) {
    ASSIGN_OR_RETURN(const bool header, connection_.PollHeader());
    if (!header) return false;
    if (connection_.header().type == kFrameRefused) {
      return absl::UnavailableError("the owner gave up; its log says why");
    }
    if (connection_.header().type != kFrameReply) {
      return absl::DataLossError(absl::StrCat("a frame of type ", connection_.header().type,
                                              " stands where a reply was expected"));
    }
    reading_ = Reading::kRecord;
  }
  if (reading_ == Reading::kRecord) {
    ASSIGN_OR_RETURN(const bool record, connection_.PollPayload(absl::MakeSpan(record_)));
    if (!record) return false;
    ASSIGN_OR_RETURN(received_.reply, DecodeReply(record_));
    received_.data = {};
    if (received_.reply.data_bytes != connection_.remaining()) {
      return absl::DataLossError("a reply announces other data than its frame holds");
    }
    reading_ = WhereTheDataGoes();
  }
  return true;
}

TcpChannel::Reading TcpChannel::WhereTheDataGoes() const {
  const Reply& reply = received_.reply;
  if ((reply.sequence & kNobodyWaits) != 0) return Reading::kUnwanted;
  if (reply.kind != ReplyKind::kChunk) {
    return reply.data_bytes <= data_.size() ? Reading::kDescriptor : Reading::kUnwanted;
  }
  const bool fits = taking_chunks_ && reply.sequence >= sink_.first_sequence &&
                    reply.length == reply.data_bytes && reply.offset <= sink_.to.size() &&
                    reply.length <= sink_.to.size() - reply.offset;
  return fits ? Reading::kChunk : Reading::kUnwanted;
}

absl::StatusOr<bool> TcpChannel::ReadData() {
  const Reply& reply = received_.reply;
  if (reply.data_bytes == 0) return true;
  if (reading_ == Reading::kChunk) {
    return connection_.PollPayload(sink_.to.subspan(reply.offset, reply.length));
  }
  if (reading_ == Reading::kUnwanted) return connection_.PollSkip();
  const absl::Span<uint8_t> to = absl::MakeSpan(data_).subspan(0, reply.data_bytes);
  ASSIGN_OR_RETURN(const bool data, connection_.PollPayload(to));
  received_.data = to;
  return data;
}

}  // namespace rdmalab
