#include "engine/run/operation_sample_maker.h"

#include "engine/base/status.h"
#include "engine/verbs/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace rdmalab {
namespace {

using testing::HasSubstr;

TEST(OperationFailureOf, TheDevicesWordsReachTheRowThroughEveryContext) {
  const absl::Status status =
      verbs::CompletionToStatus(IBV_WC_REM_INV_REQ_ERR, 7, "queue pair 17 on rxe0");
  const OperationFailure failure = OperationFailureOf(
      "measure", WithNote(WithContext(status, "cell 3"), "the owner: IBV_WC_LOC_LEN_ERR"));
  EXPECT_EQ(failure.failure.phase, "measure");
  EXPECT_EQ(failure.failure.code, "invalid_argument");
  EXPECT_THAT(failure.failure.text, HasSubstr("the owner: IBV_WC_LOC_LEN_ERR"));
  EXPECT_EQ(failure.wc_status, "IBV_WC_REM_INV_REQ_ERR");
  EXPECT_EQ(failure.vendor_error, 7);
  EXPECT_THAT(failure.advice.value_or(""), HasSubstr("longer than its receive"));
}

TEST(OperationFailureOf, WithoutADeviceNothingIsMadeUp) {
  const OperationFailure failure = OperationFailureOf("open", absl::UnimplementedError("no GPU"));
  EXPECT_EQ(failure.failure.text, "no GPU");
  EXPECT_FALSE(failure.wc_status.has_value());
  EXPECT_FALSE(failure.vendor_error.has_value());
  EXPECT_FALSE(failure.advice.has_value());
}

TEST(AddMeasured, AFailedCellTellsWhatWasDoneAndNoTime) {
  OperationSample sample;
  AddMeasured({.start_ns = 5, .elapsed_ns = 9, .messages = 4, .total = 6}, /*complete=*/false,
              sample);
  EXPECT_EQ(sample.counters["completed"], 6);
  EXPECT_FALSE(sample.elapsed_ns.has_value());
}

}  // namespace
}  // namespace rdmalab
