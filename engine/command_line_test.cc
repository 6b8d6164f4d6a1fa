// The engine's binary from outside: what it says of itself, what it refuses and with which exit
// code.
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "engine/base/file.h"
#include "engine/testing/example_plan.h"
#include "engine/testing/program.h"
#include "engine/testing/temporary_folder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace rdmalab {
namespace {

using nlohmann::json;
using testing::EndsWith;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

ProgramEnd RunEngine(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), DataPath("engine/rdmalab_engine"));
  return RunProgram(arguments);
}

class CommandLineTest : public testing::Test {
 protected:
  ProgramEnd CheckPlan(const std::string& text) {
    EXPECT_TRUE(WriteFileAtomically(plan_path_, text).ok());
    return RunEngine({"--check-plan=" + plan_path_});
  }

  TemporaryFolder folder_;
  std::string plan_path_ = folder_.Path("plan.json");
};

// A failure says so in one line on stderr and leaves stdout to results.
void ExpectRefused(const ProgramEnd& end, int exit, const std::string& cause) {
  EXPECT_EQ(end.exit, exit) << end.err;
  EXPECT_EQ(end.out, "");
  EXPECT_THAT(end.err, HasSubstr(cause));
  EXPECT_THAT(end.err, EndsWith("\n"));
}

TEST_F(CommandLineTest, DescribesItselfAsOneJsonLine) {
  const ProgramEnd end = RunEngine({"--describe"});
  EXPECT_EQ(end.exit, 0) << end.err;
  EXPECT_EQ(end.out.find('\n'), end.out.size() - 1);
  EXPECT_EQ(json::parse(end.out)["format"], "rdmalab.capabilities");
}

TEST_F(CommandLineTest, AcceptsAGoodPlanInSilence) {
  const ProgramEnd end = CheckPlan(CanonicalText(ExamplePlanJson()));
  EXPECT_EQ(end.exit, 0) << end.err;
  EXPECT_EQ(end.out, "");
  EXPECT_EQ(end.err, "");
}

TEST_F(CommandLineTest, ExitCodesTellABadPlanFromOneThatIsNotBuilt) {
  json plan = ExamplePlanJson();
  plan["arms"][0]["depth"] = 0;
  ExpectRefused(CheckPlan(CanonicalText(plan)), 2, plan_path_ + ": arms[0].depth: 0: expected");
  ExpectRefused(CheckPlan("{"), 2, "not JSON at byte 2");
  plan = ExamplePlanJson();
  plan["arms"][0]["op"] = "put";
  ExpectRefused(CheckPlan(CanonicalText(plan)), 5, "arms[0].op: put: not built in this engine");
}

TEST_F(CommandLineTest, UsageMistakesAreNamed) {
  ExpectRefused(RunEngine({"--rol=owner"}), 2, "rol");
  ExpectRefused(RunEngine({"--role=boss"}), 2, "boss");
  ExpectRefused(RunEngine({}), 2, "usage");
}

// What a node must have: glibc 2.35 at most, UCX, rdma-core, and nothing else that is not on every
// Linux.
TEST_F(CommandLineTest, TheBinaryNeedsNoMoreThanNodesHave) {
#if defined(__clang__)
  GTEST_SKIP() << "sanitized builds, which clang makes here, stay on this machine";
#endif
  const ProgramEnd end = RunProgram({"objdump", "-p", "-T", DataPath("engine/rdmalab_engine")});
  ASSERT_EQ(end.exit, 0) << end.err;
  EXPECT_THAT(end.out, HasSubstr("libucp.so.0"));
  EXPECT_THAT(end.out, HasSubstr("GLIBC_2."));
  std::istringstream lines(end.out);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("NEEDED") != std::string::npos) {
      EXPECT_THAT(
          line,
          MatchesRegex(
              " *NEEDED +(libuc[ps]|libibverbs|librdmacm|libc|libm|libgcc_s|ld-linux-[a-z0-9-]+)"
              "\\.so\\.[0-9]+"));
    }
    EXPECT_EQ(line.find("RUNPATH"), std::string::npos) << line;
    const size_t version = line.find("GLIBC_2.");
    if (version == std::string::npos) continue;
    EXPECT_LE(std::stoi(line.substr(version + 8)), 35) << line;
  }
}

}  // namespace
}  // namespace rdmalab
