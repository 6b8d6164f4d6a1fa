#include "engine/verbs/status.h"

#include <cerrno>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace rdmalab::verbs {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(VerbsStatus, NamesCallObjectErrnoAndRemedy) {
  const absl::Status status = ErrnoToStatus(ENOMEM, "ibv_reg_mr", "4 MiB on rxe0");
  EXPECT_TRUE(absl::IsResourceExhausted(status));
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("ibv_reg_mr(4 MiB on rxe0): Cannot allocate memory (errno 12)"),
                    HasSubstr("ulimit -l")));
}

TEST(VerbsStatus, TheSameErrnoOfAnotherCallHasAnotherRemedy) {
  const absl::Status status = ErrnoToStatus(ENOMEM, "ibv_create_qp", "1 on rxe0");
  EXPECT_THAT(std::string(status.message()), HasSubstr("smaller window or recv_depth"));
}

TEST(VerbsStatus, NoErrorIsNone) {
  EXPECT_TRUE(ErrnoToStatus(0, "ibv_query_port", "rxe0").ok());
  EXPECT_TRUE(CompletionToStatus(IBV_WC_SUCCESS, 0, "a queue pair").ok());
}

TEST(VerbsStatus, ACompletionCarriesWhatTheDeviceSaid) {
  const absl::Status status =
      CompletionToStatus(IBV_WC_REM_ACCESS_ERR, 0x88, "queue pair 17 on rxe0");
  EXPECT_TRUE(absl::IsPermissionDenied(status));
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("queue pair 17 on rxe0"), HasSubstr("IBV_WC_REM_ACCESS_ERR"),
                    HasSubstr("wrong or stale rkey")));
  const auto facts = CompletionFactsOf(status);
  ASSERT_TRUE(facts.has_value());
  EXPECT_EQ(facts->wc_status, "IBV_WC_REM_ACCESS_ERR");
  EXPECT_EQ(facts->vendor_error, 0x88);
  EXPECT_THAT(facts->advice, HasSubstr("rkey"));
}

TEST(VerbsStatus, EveryStatusOfTheLibraryHasAName) {
  for (int status = IBV_WC_LOC_LEN_ERR; status <= IBV_WC_GENERAL_ERR; ++status) {
    if (status == IBV_WC_LOC_EEC_OP_ERR || status == IBV_WC_LOC_RDD_VIOL_ERR ||
        status == IBV_WC_REM_INV_RD_REQ_ERR || status == IBV_WC_INV_EECN_ERR ||
        status == IBV_WC_INV_EEC_STATE_ERR) {
      continue;  // of transports that no adapter has
    }
    const absl::Status told = CompletionToStatus(static_cast<ibv_wc_status>(status), 0, "x");
    EXPECT_EQ(std::string(told.message()).find("IBV_WC_UNKNOWN"), std::string::npos) << status;
  }
}

TEST(VerbsStatus, ALostPeerIsUnavailable) {
  EXPECT_TRUE(absl::IsUnavailable(CompletionToStatus(IBV_WC_RETRY_EXC_ERR, 0, "x")));
  EXPECT_TRUE(absl::IsUnavailable(CompletionToStatus(IBV_WC_RNR_RETRY_EXC_ERR, 0, "x")));
}

TEST(VerbsStatus, AnotherStatusHasNoFacts) {
  EXPECT_FALSE(CompletionFactsOf(absl::AbortedError("x")).has_value());
}

}  // namespace
}  // namespace rdmalab::verbs
