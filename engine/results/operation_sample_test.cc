#include "engine/results/operation_sample.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace rdmalab {
namespace {

using nlohmann::ordered_json;

TEST(OperationSample, ARateKeepsItsSubWindowsAndHasNoLatencies) {
  OperationSample sample;
  sample.arm = "write";
  sample.size_bytes = 4096;
  sample.window = 64;
  sample.messages = 30;
  sample.elapsed_ns = 300;
  sample.sub_windows = {{100, 10}, {200, 20}};
  sample.counters["received"] = 7;
  sample.facts["registered"] = "dma_buf";
  const ordered_json json = ToJson(sample);
  EXPECT_EQ(json["kind"], "sample");
  EXPECT_EQ(json["bytes"], 30 * 4096);
  EXPECT_EQ(json["sub_windows"][1]["messages"], 20);
  EXPECT_TRUE(json["latency_ns"].is_null());
  EXPECT_TRUE(json["recv_depth"].is_null());
  EXPECT_EQ(json["counters"]["received"], 7);
  EXPECT_EQ(json["counters"]["registered"], "dma_buf");
  EXPECT_TRUE(json["error"].is_null());
}

TEST(OperationSample, AFailureSaysWhatTheDeviceSaid) {
  OperationSample sample;
  sample.error = OperationFailure{.failure = {"measure", "aborted", "why"},
                                  .wc_status = "IBV_WC_REM_ACCESS_ERR",
                                  .vendor_error = 136,
                                  .advice = "what to do"};
  const ordered_json error = ToJson(sample)["error"];
  EXPECT_EQ(error["phase"], "measure");
  EXPECT_EQ(error["wc_status"], "IBV_WC_REM_ACCESS_ERR");
  EXPECT_EQ(error["vendor_error"], 136);
  EXPECT_EQ(error["advice"], "what to do");
  EXPECT_TRUE(ToJson(sample)["elapsed_ns"].is_null()) << "never nan, never 0";
}

}  // namespace
}  // namespace rdmalab
