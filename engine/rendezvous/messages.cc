#include "engine/rendezvous/messages.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "engine/base/little_endian.h"

namespace rdmalab {
namespace {

absl::Status Lie(absl::string_view what) {
  return absl::DataLossError(absl::StrCat("control message refused: ", what));
}

}  // namespace

// 0 kind | 4 sequence | 8 slot | 12 reserved | 16 lease | 24 generation | 32 offset | 40 length
RequestBytes EncodeRequest(const Request& request) {
  RequestBytes out{};
  out[0] = static_cast<uint8_t>(request.kind);
  StoreLittle<uint32_t>(&out[4], request.sequence);
  StoreLittle<uint32_t>(&out[8], request.slot);
  StoreLittle<uint64_t>(&out[16], request.lease);
  StoreLittle<uint64_t>(&out[24], request.generation);
  StoreLittle<uint64_t>(&out[32], request.offset);
  StoreLittle<uint64_t>(&out[40], request.length);
  return out;
}

// 0 kind, refusal, staging reason, pinned | 4 sequence | 8 lease ms | 12 data bytes | 16 lease |
// 24 generation | 32 offset | 40 length
ReplyBytes EncodeReply(const Reply& reply) {
  ReplyBytes out{};
  out[0] = static_cast<uint8_t>(reply.kind);
  out[1] = static_cast<uint8_t>(reply.refusal);
  out[2] = static_cast<uint8_t>(reply.staging_reason);
  out[3] = reply.pinned ? 1 : 0;
  StoreLittle<uint32_t>(&out[4], reply.sequence);
  StoreLittle<uint32_t>(&out[8], reply.lease_ms);
  StoreLittle<uint32_t>(&out[12], reply.data_bytes);
  StoreLittle<uint64_t>(&out[16], reply.lease);
  StoreLittle<uint64_t>(&out[24], reply.generation);
  StoreLittle<uint64_t>(&out[32], reply.offset);
  StoreLittle<uint64_t>(&out[40], reply.length);
  return out;
}

absl::StatusOr<Request> DecodeRequest(absl::Span<const uint8_t> bytes) {
  if (bytes.size() != kRequestBytes) {
    return Lie(absl::StrCat("a request of ", bytes.size(), " bytes"));
  }
  const uint8_t* in = bytes.data();
  if (in[0] < static_cast<uint8_t>(RequestKind::kAcquire) ||
      in[0] > static_cast<uint8_t>(RequestKind::kRelease)) {
    return Lie(absl::StrCat("request kind ", in[0]));
  }
  if (in[1] != 0 || in[2] != 0 || in[3] != 0 || LoadLittle<uint32_t>(in + 12) != 0) {
    return Lie("reserved bytes of a request are set");
  }
  return Request{.kind = static_cast<RequestKind>(in[0]),
                 .sequence = LoadLittle<uint32_t>(in + 4),
                 .slot = LoadLittle<uint32_t>(in + 8),
                 .lease = LoadLittle<uint64_t>(in + 16),
                 .generation = LoadLittle<uint64_t>(in + 24),
                 .offset = LoadLittle<uint64_t>(in + 32),
                 .length = LoadLittle<uint64_t>(in + 40)};
}

absl::StatusOr<Reply> DecodeReply(absl::Span<const uint8_t> bytes) {
  if (bytes.size() != kReplyBytes) return Lie(absl::StrCat("a reply of ", bytes.size(), " bytes"));
  const uint8_t* in = bytes.data();
  if (in[0] < static_cast<uint8_t>(ReplyKind::kReady) ||
      in[0] > static_cast<uint8_t>(ReplyKind::kStale)) {
    return Lie(absl::StrCat("reply kind ", in[0]));
  }
  if (in[1] >= kRefusals) return Lie(absl::StrCat("refusal ", in[1]));
  if (in[2] >= kStagingReasons) return Lie(absl::StrCat("staging reason ", in[2]));
  if (in[3] > 1) return Lie(absl::StrCat("staging ", in[3]));
  return Reply{.kind = static_cast<ReplyKind>(in[0]),
               .refusal = static_cast<Refusal>(in[1]),
               .staging_reason = static_cast<StagingReason>(in[2]),
               .pinned = in[3] == 1,
               .sequence = LoadLittle<uint32_t>(in + 4),
               .lease_ms = LoadLittle<uint32_t>(in + 8),
               .lease = LoadLittle<uint64_t>(in + 16),
               .generation = LoadLittle<uint64_t>(in + 24),
               .offset = LoadLittle<uint64_t>(in + 32),
               .length = LoadLittle<uint64_t>(in + 40),
               .data_bytes = LoadLittle<uint32_t>(in + 12)};
}

}  // namespace rdmalab
