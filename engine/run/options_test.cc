#include "engine/run/options.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace rdmalab {
namespace {

std::vector<std::string> Complete() {
  return {"--role=owner",      "--plan=p.json", "--blocks=0-3", "--pair=2",
          "--exchange=dir:/x", "--token=aa11",  "--out=/y",     "--listen=10.0.0.1"};
}

TEST(Options, ReadsEachArgument) {
  auto options = ParseOptions(Complete());
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->action, Options::Action::kRun);
  EXPECT_EQ(options->role, Role::kOwner);
  EXPECT_EQ(options->plan_path, "p.json");
  EXPECT_EQ(options->blocks, "0-3");
  EXPECT_EQ(options->pair, 2);
  EXPECT_EQ(std::get<DirExchange>(*options->exchange).path, "/x");
  EXPECT_EQ(options->token, "aa11");
  EXPECT_EQ(options->out, "/y");
  EXPECT_EQ(options->listen, "10.0.0.1");
}

TEST(Options, LoopbackNeedsNoExchange) {
  auto options = ParseOptions({"--role=loopback", "--plan=p", "--out=o"});
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->blocks, "all");
  EXPECT_FALSE(options->exchange.has_value());
}

TEST(Options, OtherActionsStandAlone) {
  EXPECT_EQ(ParseOptions({"--describe"})->action, Options::Action::kDescribe);
  auto check = ParseOptions({"--check-plan=p.json"});
  ASSERT_TRUE(check.ok());
  EXPECT_EQ(check->action, Options::Action::kCheckPlan);
  EXPECT_EQ(check->plan_path, "p.json");
  EXPECT_EQ(ParseOptions({"--help"})->action, Options::Action::kHelp);
}

TEST(Options, EachMistakeIsNamed) {
  struct Mistake {
    std::string argument;  // added, or put in place of the one with the same name
    std::string named;
  };
  for (const Mistake& mistake :
       {Mistake{"--role=boss", "--role=boss"}, Mistake{"--pair=-1", "--pair=-1"},
        Mistake{"--pair=two", "--pair=two"}, Mistake{"--token=xyz", "--token=xyz"},
        Mistake{"--token=", "--token="}, Mistake{"--exchange=nfs:/x", "nfs:/x"},
        Mistake{"--sizes=4", "--sizes"}, Mistake{"owner", "owner"}, Mistake{"--plan=", "--plan"},
        Mistake{"--out=", "--out"}, Mistake{"--describe", "--describe"}}) {
    std::vector<std::string> arguments;
    const std::string name = mistake.argument.substr(0, mistake.argument.find('='));
    for (const std::string& argument : Complete()) {
      if (argument.substr(0, argument.find('=')) != name) arguments.push_back(argument);
    }
    arguments.push_back(mistake.argument);
    auto options = ParseOptions(arguments);
    ASSERT_EQ(options.status().code(), absl::StatusCode::kInvalidArgument) << mistake.argument;
    EXPECT_NE(std::string(options.status().message()).find(mistake.named), std::string::npos)
        << options.status();
  }
}

TEST(Options, AnArgumentGivenTwiceIsRefused) {
  std::vector<std::string> arguments = Complete();
  arguments.push_back("--pair=3");
  EXPECT_FALSE(ParseOptions(arguments).ok());
}

}  // namespace
}  // namespace rdmalab
