#include "engine/results/samples_file.h"

#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <sstream>

#include "engine/base/file.h"
#include "engine/results/rendezvous_sample.h"
#include "engine/testing/simulated_time.h"
#include "engine/testing/temporary_folder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace rdmalab {
namespace {

using nlohmann::ordered_json;
using testing::HasSubstr;

class SamplesFileTest : public testing::Test {
 protected:
  absl::StatusOr<SamplesFile> Create() {
    return SamplesFile::Create(path_,
                               {.plan_sha256 = "ab12",
                                .pair = 3,
                                .role = "consumer",
                                .started_utc_ns = 1'700'000'000'000'000'000},
                               time_.clock());
  }

  std::vector<ordered_json> Lines() const {
    std::vector<ordered_json> lines;
    std::istringstream text(*ReadFile(path_));
    for (std::string line; std::getline(text, line);) lines.push_back(ordered_json::parse(line));
    return lines;
  }

  static std::vector<ordered_json> Samples(int count) {
    std::vector<ordered_json> samples;
    for (int i = 0; i < count; ++i) samples.push_back(ToJson(RendezvousSample{.order = i}));
    return samples;
  }

  TemporaryFolder folder_;
  SimulatedTime time_;
  std::string path_ = folder_.Path("samples.jsonl");
};

TEST_F(SamplesFileTest, HasStartBlocksAndEndWithCounts) {
  absl::StatusOr<SamplesFile> file = Create();
  ASSERT_TRUE(file.ok()) << file.status();
  std::vector<ordered_json> samples = Samples(2);
  samples[1]["error"] = {{"phase", "transfer"}, {"code", "deadline_exceeded"}, {"text", "late"}};
  ASSERT_TRUE(file->WriteBlock(samples, {.block = 7,
                                         .pair = 3,
                                         .stage_wait_ns = 11,
                                         .barrier_wait_ns = 12,
                                         .verified_bytes = 13,
                                         .wall_ns = 14,
                                         .utc_ns = 15})
                  .ok());
  ASSERT_TRUE(file->WriteBlock(Samples(1), {.block = 9, .pair = 3}).ok());
  ASSERT_TRUE(file->WriteEnd({.status = EndStatus::kDone, .exit = 0, .error = {}}).ok());

  const std::vector<ordered_json> lines = Lines();
  ASSERT_EQ(lines.size(), 7);
  EXPECT_EQ(
      lines[0].dump(),
      R"({"kind":"start","format":"rdmalab.samples","version":1,"plan_sha256":"ab12","pair":3,)"
      R"("role":"consumer","clock":{"name":"simulated","resolution_ns":1.0,"overhead_ns":0.0},)"
      R"("started_utc_ns":1700000000000000000})");
  EXPECT_EQ(lines[3].dump(),
            R"({"kind":"block","block":7,"pair":3,"samples":2,"failed":1,)"
            R"("wait_ns":{"stage":11,"barrier":12},"verified_bytes":13,"wall_ns":14,"utc_ns":15})");
  EXPECT_EQ(
      lines[6].dump(),
      R"({"kind":"end","status":"done","exit":0,"samples":3,"blocks":2,"failed":1,"error":null})");
}

TEST_F(SamplesFileTest, EachBlockIsInTheFileBeforeTheNext) {
  absl::StatusOr<SamplesFile> file = Create();
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(Lines().size(), 1);
  ASSERT_TRUE(file->WriteBlock(Samples(1), {}).ok());
  EXPECT_EQ(Lines().back()["kind"], "block");
}

TEST_F(SamplesFileTest, TheEndSaysWhatHappened) {
  absl::StatusOr<SamplesFile> file = Create();
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE(file->WriteEnd({.status = EndStatus::kInterrupted,
                              .exit = 130,
                              .error = FailureOf("run", absl::CancelledError("stopped by SIGINT"))})
                  .ok());
  EXPECT_EQ(Lines().back().dump(),
            R"({"kind":"end","status":"interrupted","exit":130,"samples":0,"blocks":0,"failed":0,)"
            R"("error":{"phase":"run","code":"cancelled","text":"stopped by SIGINT"}})");
}

TEST_F(SamplesFileTest, AFileThatIsThereIsNotTouched) {
  ASSERT_TRUE(WriteFileAtomically(path_, "precious").ok());
  EXPECT_EQ(Create().status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(*ReadFile(path_), "precious");
}

// A limit on the file's size stands for a full disk: write(2) is cut short, then fails.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit = {.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_ = {};
};

TEST_F(SamplesFileTest, ABlockThatDoesNotFitIsTakenBackAndNamedAndTheRestStays) {
  absl::StatusOr<SamplesFile> file = Create();
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE(file->WriteBlock(Samples(2), {.block = 0}).ok());
  const std::string before = *ReadFile(path_);
  {
    const FileSizeLimit limit(before.size() + 1000);  // in the middle of the second sample
    const absl::Status status = file->WriteBlock(Samples(2), {.block = 1});
    EXPECT_THAT(std::string(status.message()),
                HasSubstr("block 1 is lost: write(" + path_ + "): File too large"));
    EXPECT_EQ(*ReadFile(path_), before);
    // Room for the end line is left.
    EXPECT_TRUE(file->WriteEnd({.status = EndStatus::kFailed, .exit = 1, .error = {}}).ok());
  }
  EXPECT_EQ(Lines().back()["samples"], 2);
  EXPECT_EQ(Lines().back()["blocks"], 1);
}

TEST_F(SamplesFileTest, ForeignBytesDoNotLoseTheLine) {
  absl::StatusOr<SamplesFile> file = Create();
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE(
      file->WriteEnd({.status = EndStatus::kFailed,
                      .exit = 1,
                      .error = Failure{.phase = "run", .code = "internal", .text = "a\xff"}})
          .ok());
  EXPECT_EQ(Lines().back()["error"]["text"], "a\xef\xbf\xbd");
}

}  // namespace
}  // namespace rdmalab
