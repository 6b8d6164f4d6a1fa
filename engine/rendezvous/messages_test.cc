#include "engine/rendezvous/messages.h"

#include <vector>

#include "gtest/gtest.h"

namespace rdmalab {
namespace {

TEST(Messages, RequestReadsBackWhatWasWritten) {
  const RequestBytes bytes = EncodeRequest({.kind = RequestKind::kPull,
                                            .sequence = 11,
                                            .slot = 3,
                                            .lease = 5,
                                            .generation = 9,
                                            .offset = 1u << 20,
                                            .length = 524288});
  auto request = DecodeRequest(bytes);
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(request->kind, RequestKind::kPull);
  EXPECT_EQ(request->sequence, 11u);
  EXPECT_EQ(request->slot, 3u);
  EXPECT_EQ(request->lease, 5u);
  EXPECT_EQ(request->generation, 9u);
  EXPECT_EQ(request->offset, 1u << 20);
  EXPECT_EQ(request->length, 524288u);
}

TEST(Messages, ReplyReadsBackWhatWasWritten) {
  const ReplyBytes bytes = EncodeReply({.kind = ReplyKind::kReady,
                                        .refusal = Refusal::kNotPinned,
                                        .staging_reason = StagingReason::kBudget,
                                        .pinned = true,
                                        .sequence = 4,
                                        .lease_ms = 5000,
                                        .lease = 6,
                                        .generation = 7,
                                        .offset = 8,
                                        .length = 9,
                                        .data_bytes = 10});
  auto reply = DecodeReply(bytes);
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->refusal, Refusal::kNotPinned);
  EXPECT_EQ(reply->staging_reason, StagingReason::kBudget);
  EXPECT_TRUE(reply->pinned);
  EXPECT_EQ(reply->sequence, 4u);
  EXPECT_EQ(reply->lease_ms, 5000u);
  EXPECT_EQ(reply->lease, 6u);
  EXPECT_EQ(reply->generation, 7u);
  EXPECT_EQ(reply->offset, 8u);
  EXPECT_EQ(reply->length, 9u);
  EXPECT_EQ(reply->data_bytes, 10u);
}

TEST(Messages, WrongSizesAreRefused) {
  std::vector<uint8_t> bytes(kRequestBytes + 1, 0);
  bytes[0] = 1;
  EXPECT_FALSE(DecodeRequest(bytes).ok());
  EXPECT_FALSE(DecodeReply(bytes).ok());
  EXPECT_FALSE(DecodeRequest(absl::MakeSpan(bytes).subspan(0, kRequestBytes - 1)).ok());
  EXPECT_FALSE(DecodeReply({}).ok());
}

TEST(Messages, UnknownKindsReasonsAndReservedBytesAreRefused) {
  for (const uint8_t kind : {uint8_t{0}, uint8_t{6}, uint8_t{255}}) {
    RequestBytes request = EncodeRequest({});
    request[0] = kind;
    EXPECT_FALSE(DecodeRequest(request).ok()) << int{kind};
    ReplyBytes reply = EncodeReply({});
    reply[0] = kind;
    EXPECT_FALSE(DecodeReply(reply).ok()) << int{kind};
  }
  for (const size_t offset : {1u, 2u, 3u, 12u}) {
    RequestBytes request = EncodeRequest({});
    request[offset] = 1;
    EXPECT_FALSE(DecodeRequest(request).ok()) << offset;
  }
  for (const size_t offset : {1u, 2u, 3u}) {
    ReplyBytes reply = EncodeReply({});
    reply[offset] = 200;
    EXPECT_FALSE(DecodeReply(reply).ok()) << offset;
  }
}

}  // namespace
}  // namespace rdmalab
