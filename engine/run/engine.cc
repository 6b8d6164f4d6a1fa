#include "engine/run/engine.h"

#include <cstdio>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "engine/base/clock.h"
#include "engine/base/status.h"
#include "engine/plan/capabilities.h"
#include "engine/plan/plan_reader.h"
#include "engine/run/options.h"
#include "engine/run/roles.h"

namespace rdmalab {
namespace {

// The last line of a failure, as the tool shows it.
int Fail(absl::string_view who, const absl::Status& status) {
  const std::string line = absl::StrCat("rdmalab_engine ", who, ": ", status.message(), "\n");
  std::fputs(line.c_str(), stderr);
  return ExitCodeOf(status);
}

absl::StatusOr<Plan> ReadBuiltPlan(const std::string& path) {
  ASSIGN_OR_RETURN(Plan plan, ReadPlan(path));
  RETURN_IF_ERROR(CheckBuilt(plan));
  return plan;
}

int Describe() {
  std::fputs((Capabilities().dump() + "\n").c_str(), stdout);
  return kExitDone;
}

}  // namespace

int RunEngine(const std::vector<std::string>& arguments) {
  const absl::StatusOr<Options> options = ParseOptions(arguments);
  if (!options.ok()) return Fail("usage", options.status());
  switch (options->action) {
    case Options::Action::kHelp:
      std::fputs(kUsage, stdout);
      return kExitDone;
    case Options::Action::kDescribe:
      return Describe();
    case Options::Action::kCheckPlan:
    case Options::Action::kRun:
      break;
  }
  const absl::StatusOr<Plan> plan = ReadBuiltPlan(options->plan_path);
  if (!plan.ok()) return Fail("plan", plan.status());
  if (options->action == Options::Action::kCheckPlan) return kExitDone;
  const absl::Status status = RunRole(*options, *plan, Clock::Best());
  return status.ok() ? kExitDone : Fail(Name(options->role), status);
}

}  // namespace rdmalab
