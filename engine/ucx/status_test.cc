#include "engine/ucx/status.h"

#include "gtest/gtest.h"

namespace rdmalab::ucx {
namespace {

TEST(StatusTest, OkStaysOk) { EXPECT_TRUE(ToStatus(UCS_OK, "ucp_x", "y").ok()); }

TEST(StatusTest, NamesCallObjectAndCause) {
  EXPECT_EQ(ToStatus(UCS_ERR_NO_MEMORY, "ucp_mem_map", "64 MiB").message(),
            "ucp_mem_map(64 MiB): Out of memory");
}

TEST(StatusTest, MapsEachKindOfFailure) {
  const std::pair<ucs_status_t, absl::StatusCode> cases[] = {
      {UCS_ERR_NO_RESOURCE, absl::StatusCode::kResourceExhausted},
      {UCS_ERR_NO_MEMORY, absl::StatusCode::kResourceExhausted},
      {UCS_ERR_INVALID_PARAM, absl::StatusCode::kInvalidArgument},
      {UCS_ERR_NO_DEVICE, absl::StatusCode::kNotFound},
      {UCS_ERR_UNSUPPORTED, absl::StatusCode::kUnimplemented},
      {UCS_ERR_TIMED_OUT, absl::StatusCode::kDeadlineExceeded},
      {UCS_ERR_MESSAGE_TRUNCATED, absl::StatusCode::kOutOfRange},
  };
  for (const auto& [status, code] : cases) {
    EXPECT_EQ(ToStatus(status, "call").code(), code) << ucs_status_string(status);
  }
}

TEST(StatusTest, TheLossOfAPeerIsUnavailableWhereAPeerTakesPart) {
  for (const ucs_status_t status :
       {UCS_ERR_CANCELED, UCS_ERR_CONNECTION_RESET, UCS_ERR_ENDPOINT_TIMEOUT, UCS_ERR_UNREACHABLE,
        UCS_ERR_IO_ERROR, UCS_ERR_FIRST_LINK_FAILURE, UCS_ERR_LAST_ENDPOINT_FAILURE}) {
    EXPECT_EQ(PeerToStatus(status, "call").code(), absl::StatusCode::kUnavailable)
        << ucs_status_string(status);
    EXPECT_EQ(ToStatus(status, "call").code(), absl::StatusCode::kInternal)
        << ucs_status_string(status);
  }
  EXPECT_EQ(PeerToStatus(UCS_ERR_NO_MEMORY, "call").code(), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(PeerToStatus(UCS_OK, "call").ok());
}

TEST(StatusTest, WhatUcxMayAddLaterIsInternal) {
  EXPECT_EQ(ToStatus(UCS_ERR_NO_PROGRESS, "call").code(), absl::StatusCode::kInternal);
}

}  // namespace
}  // namespace rdmalab::ucx
