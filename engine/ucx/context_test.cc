#include "engine/ucx/context.h"

#include <cstdio>
#include <cstdlib>
#include <string>

#include "engine/ucx/library.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace rdmalab::ucx {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Key;
using testing::MatchesRegex;
using testing::Pair;

TEST(ContextTest, NamesTheMemoryDomainsInTheOrderOfTheirBits) {
  const auto context = Context::Create({.overrides = {{"TLS", "posix,cma,self"}}});
  ASSERT_TRUE(context.ok()) << context.status();
  EXPECT_THAT(context->memory_domains(), ElementsAre("self", "posix", "cma"));
  EXPECT_THAT(context->DomainNames(0b101), ElementsAre("self", "cma"));
  EXPECT_THAT(context->DomainNames(uint64_t{1} << 40), ElementsAre("md[40]"));
}

TEST(ContextTest, KnowsWhichDomainsAreANics) {
  for (const char* nic : {"mlx5_0", "mlx5_bond_0", "rxe0", "bnxt_re0", "irdma1"}) {
    EXPECT_TRUE(IsNicDomain(nic)) << nic;
  }
  for (const char* other : {"self", "tcp", "sysv", "posix", "cma", "xpmem", "knem", "cuda_cpy",
                            "cuda_ipc", "gdr_copy", "rdmacm"}) {
    EXPECT_FALSE(IsNicDomain(other)) << other;
  }
}

TEST(ContextTest, ALaneWithoutANicSaysSo) {
  const auto context = Context::Create({.overrides = {{"TLS", "tcp,self"}}});
  ASSERT_TRUE(context.ok()) << context.status();
  EXPECT_FALSE(context->HasNic());
  EXPECT_FALSE(context->NicRegistered(0b11));
}

TEST(ContextTest, TheResolvedSettingsHoldTheEnvironmentAndTheDefaults) {
  setenv("UCX_TCP_MAX_CONN_RETRIES", "17", 1);
  const auto context = Context::Create({});
  unsetenv("UCX_TCP_MAX_CONN_RETRIES");
  ASSERT_TRUE(context.ok()) << context.status();
  EXPECT_THAT(context->settings(), Contains(Pair("UCX_TCP_MAX_CONN_RETRIES", "17")));
  for (const char* name : {"UCX_TLS", "UCX_NET_DEVICES", "UCX_LOG_LEVEL", "UCX_RNDV_THRESH"}) {
    EXPECT_THAT(context->settings(), Contains(Key(name)));
  }
}

TEST(ContextTest, RefusesAnOverrideThatUcxDoesNotKnow) {
  const absl::Status status = Context::Create({.overrides = {{"TLZ", "tcp"}}}).status();
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(std::string(status.message()), HasSubstr("TLZ=tcp"));
}

TEST(ContextTest, TransportsThatAreNotThereAreAWrongLane) {
  const absl::Status status =
      Context::Create({.overrides = {{"TLS", "no_such_transport"}}}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("UCX_TLS="));
}

TEST(LibraryTest, TellsVersionsPathAndConfiguration) {
  const LibraryFacts facts = ReadLibraryFacts();
  EXPECT_THAT(facts.header_version, MatchesRegex("1\\.[0-9]+"));
  EXPECT_THAT(facts.runtime_version, MatchesRegex("1\\.[0-9]+\\.[0-9]+"));
  EXPECT_THAT(facts.library_path, HasSubstr("/libucp.so"));
  EXPECT_EQ(facts.library_path[0], '/');
  for (const std::string& path : facts.conf_paths) EXPECT_THAT(path, EndsWith("/ucx.conf"));
}

TEST(LibraryTest, AConfigurationFileOfTheEnvironmentIsNamedLast) {
  const std::string folder = testing::TempDir();
  FILE* file = fopen((folder + "/ucx.conf").c_str(), "w");
  ASSERT_NE(file, nullptr);
  fclose(file);
  setenv("UCX_CONFIG_DIR", folder.c_str(), 1);
  const LibraryFacts facts = ReadLibraryFacts();
  unsetenv("UCX_CONFIG_DIR");
  remove((folder + "/ucx.conf").c_str());
  ASSERT_FALSE(facts.conf_paths.empty());
  EXPECT_THAT(facts.conf_paths.back(), HasSubstr(folder));
}

TEST(LibraryTest, ListsTheUcxVariablesOfTheEnvironmentAndNoOthers) {
  setenv("UCX_RDMALAB_TEST", "a=b", 1);
  setenv("RDMALAB_UCX", "no", 1);
  const auto variables = UcxEnvironment();
  unsetenv("UCX_RDMALAB_TEST");
  unsetenv("RDMALAB_UCX");
  EXPECT_THAT(variables, Contains(Pair("UCX_RDMALAB_TEST", "a=b")));
  EXPECT_EQ(variables.count("RDMALAB_UCX"), 0u);
}

}  // namespace
}  // namespace rdmalab::ucx
