// The engine's command line, as docs/formats.md has it.
#ifndef RDMALAB_ENGINE_RUN_OPTIONS_H_
#define RDMALAB_ENGINE_RUN_OPTIONS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/exchange/address.h"

namespace rdmalab {

enum class Role { kOwner, kConsumer, kLoopback };

constexpr const char* Name(Role role) {
  switch (role) {
    case Role::kOwner:
      return "owner";
    case Role::kConsumer:
      return "consumer";
    case Role::kLoopback:
      return "loopback";
  }
  return "unknown";
}

struct Options {
  enum class Action { kRun, kDescribe, kCheckPlan, kHelp };

  Action action = Action::kRun;
  Role role = Role::kLoopback;
  std::string plan_path;
  std::string blocks = "all";        // as written: "0-19,25", or all of the plan's
  int pair = 0;                      // number of the launched pair
  std::optional<Exchange> exchange;  // none: loopback, which needs none
  std::string token;
  std::string out;
  std::string listen = "127.0.0.1";
};

inline constexpr char kUsage[] =
    "usage: rdmalab_engine --role=owner|consumer --plan=FILE --blocks=0-19,25 --pair=N\n"
    "                      --exchange=dir:PATH|tcp:HOST:PORT --token=HEX --out=DIR "
    "[--listen=ADDRESS]\n"
    "       rdmalab_engine --role=loopback --plan=FILE --out=DIR [--blocks=...] [--pair=N]\n"
    "       rdmalab_engine --describe          what this engine can do, as JSON\n"
    "       rdmalab_engine --check-plan=FILE   exit 0, 2 (wrong) or 5 (valid, but not built "
    "here)\n";

// `arguments` without the program's name. InvalidArgument names the argument.
absl::StatusOr<Options> ParseOptions(const std::vector<std::string>& arguments);

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_RUN_OPTIONS_H_
