#include "engine/results/rendezvous_sample.h"

#include "engine/results/sample_buffer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace rdmalab {
namespace {

using nlohmann::ordered_json;

std::vector<std::string> KeysOf(const ordered_json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

// The contract with the readers: every key, always, in this order.
TEST(RendezvousSample, HasEveryKeyOfTheFormat) {
  EXPECT_THAT(KeysOf(ToJson(RendezvousSample{})),
              testing::ElementsAre(
                  "kind", "pair", "block", "rep", "order", "cell", "arm", "size", "op", "warmup",
                  "first", "path", "path_asked", "reason", "refusal", "read", "via", "staging",
                  "staging_asked", "staging_reason", "min_bytes", "chunk", "depth", "chunks",
                  "piece_bytes", "bytes", "start_ns", "start_utc_ns", "wireup_ns", "acquire_ns",
                  "transfer_ns", "copy_ns", "release_ns", "total_ns", "minor_faults",
                  "registrations", "nic_registered", "md_map", "verified", "error"));
}

TEST(RendezvousSample, TheTotalIsTheSumOfTheFourPhases) {
  const ordered_json json = ToJson({.wireup_ns = 1,
                                    .acquire_ns = 20,
                                    .transfer_ns = 300,
                                    .copy_ns = 4000,
                                    .release_ns = 50'000});
  EXPECT_EQ(json["total_ns"], 4321);
  EXPECT_EQ(json["release_ns"], 50'000);
}

TEST(RendezvousSample, WhatWasNotReachedIsNull) {
  const ordered_json json = ToJson({.wireup_ns = 0, .acquire_ns = 20});
  for (const char* const key :
       {"transfer_ns", "copy_ns", "release_ns", "total_ns", "piece_bytes", "minor_faults",
        "registrations", "nic_registered", "md_map", "refusal", "error"}) {
    EXPECT_TRUE(json[key].is_null()) << key;
  }
  EXPECT_EQ(json["acquire_ns"], 20);
}

TEST(RendezvousSample, OptionalFactsAreWrittenWhenThere) {
  const ordered_json json = ToJson({.refusal = "below_min",
                                    .piece_bytes = 262144,
                                    .nic_registered = false,
                                    .md_map = 0x1f,
                                    .error = Failure{"copy", "internal", "why"}});
  EXPECT_EQ(json["refusal"], "below_min");
  EXPECT_EQ(json["piece_bytes"], 262144);
  EXPECT_EQ(json["nic_registered"], false);
  EXPECT_EQ(json["md_map"], "1f");
  EXPECT_EQ(json["error"]["phase"], "copy");
}

TEST(SampleBuffer, HandsOutFreshSamplesAgainAfterClear) {
  SampleBuffer<RendezvousSample> buffer(2);
  RendezvousSample& first = buffer.Next();
  first.transfer_ns = 7;
  first.error = Failure{"copy", "internal", "why"};
  buffer.Next().bytes = 9;
  ASSERT_EQ(buffer.samples().size(), 2);
  EXPECT_EQ(buffer.samples()[1].bytes, 9);
  buffer.Clear();
  EXPECT_TRUE(buffer.samples().empty());
  const RendezvousSample& again = buffer.Next();
  EXPECT_EQ(&again, &first);
  EXPECT_FALSE(again.transfer_ns.has_value());
  EXPECT_FALSE(again.error.has_value());
}

}  // namespace
}  // namespace rdmalab
