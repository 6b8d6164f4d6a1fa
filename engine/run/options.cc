#include "engine/run/options.h"

#include <map>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "engine/base/hex.h"
#include "engine/base/status.h"

namespace rdmalab {
namespace {

using Values = std::map<std::string, std::string>;

absl::Status Wrong(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(what, "; --help shows the usage"));
}

absl::StatusOr<Values> Split(const std::vector<std::string>& arguments) {
  Values values;
  for (const std::string& argument : arguments) {
    const size_t equals = argument.find('=');
    const std::string name = argument.substr(0, equals);
    std::string value = equals == std::string::npos ? "" : argument.substr(equals + 1);
    if (name.substr(0, 2) != "--") {
      return Wrong(absl::StrCat("argument '", argument, "': --name=value is meant"));
    }
    if (!values.emplace(name, std::move(value)).second) {
      return Wrong(absl::StrCat("argument ", name, " is given twice"));
    }
  }
  return values;
}

std::string Take(Values& values, const std::string& name, std::string otherwise = "") {
  const auto found = values.find(name);
  if (found == values.end()) return otherwise;
  std::string value = std::move(found->second);
  values.erase(found);
  return value;
}

absl::StatusOr<Role> RoleOf(const std::string& text) {
  for (const Role role : {Role::kOwner, Role::kConsumer, Role::kLoopback}) {
    if (text == Name(role)) return role;
  }
  return Wrong(absl::StrCat("--role=", text, ": owner, consumer or loopback is meant"));
}

absl::Status CheckComplete(const Options& options) {
  if (options.plan_path.empty()) return Wrong("--plan=FILE is missing");
  if (options.out.empty()) return Wrong("--out=DIR is missing");
  if (options.role == Role::kLoopback) return absl::OkStatus();
  if (!options.exchange.has_value())
    return Wrong("--exchange=dir:PATH or tcp:HOST:PORT is missing");
  if (options.token.empty() || !FromHex(options.token).ok()) {
    return Wrong(absl::StrCat("--token=", options.token, ": hexadecimal digits are meant"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Options> ParseOptions(const std::vector<std::string>& arguments) {
  ASSIGN_OR_RETURN(Values values, Split(arguments));
  Options options;
  if (values.contains("--help")) {
    options.action = Options::Action::kHelp;
    return options;
  }
  if (values.size() == 1 && values.contains("--describe")) {
    options.action = Options::Action::kDescribe;
    return options;
  }
  if (values.size() == 1 && values.contains("--check-plan")) {
    options.action = Options::Action::kCheckPlan;
    options.plan_path = values["--check-plan"];
    return options;
  }
  ASSIGN_OR_RETURN(options.role, RoleOf(Take(values, "--role")));
  options.plan_path = Take(values, "--plan");
  options.blocks = Take(values, "--blocks", options.blocks);
  options.token = Take(values, "--token");
  options.out = Take(values, "--out");
  options.listen = Take(values, "--listen", options.listen);
  const std::string pair = Take(values, "--pair", "0");
  if (!absl::SimpleAtoi(pair, &options.pair) || options.pair < 0) {
    return Wrong(absl::StrCat("--pair=", pair, ": a number from 0 on is meant"));
  }
  if (values.contains("--exchange")) {
    ASSIGN_OR_RETURN(options.exchange, ParseExchange(Take(values, "--exchange")));
  }
  if (!values.empty()) return Wrong(absl::StrCat("unknown argument ", values.begin()->first));
  RETURN_IF_ERROR(CheckComplete(options));
  return options;
}

}  // namespace rdmalab
