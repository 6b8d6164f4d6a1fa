// What absl::Status lacks here: propagation macros, context, and the mapping to the engine's exit
// codes.
//
//   RETURN_IF_ERROR(endpoint.Flush(deadline));
//   ASSIGN_OR_RETURN(const Plan plan, ReadPlan(path));
//
// Libraries return statuses; only main turns one into an exit code.
#ifndef RDMALAB_ENGINE_BASE_STATUS_H_
#define RDMALAB_ENGINE_BASE_STATUS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace rdmalab {

// The exit codes of engine and tool alike.
inline constexpr int kExitDone = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitBadInput = 2;
inline constexpr int kExitWrongLane = 3;
inline constexpr int kExitPeerLost = 4;
inline constexpr int kExitCannotRunHere = 5;
inline constexpr int kExitInterrupted = 130;

// InvalidArgument is bad input, FailedPrecondition a wrong lane, Unavailable and DeadlineExceeded a
// lost peer, Unimplemented something that cannot run here, Cancelled an interruption; any other
// error is kExitFailed.
int ExitCodeOf(const absl::Status& status);

// The code's name as files spell it: "deadline_exceeded".
absl::string_view ErrorCodeName(absl::StatusCode code);

// The same code and payloads with "context: " before the message; an OK status stays OK.
absl::Status WithContext(const absl::Status& status, absl::string_view context);
// The same code and payloads with "; note" after the message; an OK status stays OK.
absl::Status WithNote(const absl::Status& status, absl::string_view note);

}  // namespace rdmalab

#define RDMALAB_CONCAT_INNER(a, b) a##b
#define RDMALAB_CONCAT(a, b) RDMALAB_CONCAT_INNER(a, b)

// Returns from the enclosing function if `expression`, an absl::Status, is not OK.
#define RETURN_IF_ERROR(expression)                                         \
  do {                                                                      \
    if (absl::Status rdmalab_status = (expression); !rdmalab_status.ok()) { \
      return rdmalab_status;                                                \
    }                                                                       \
  } while (false)

// Declares or assigns `target` from `expression`, an absl::StatusOr, or returns its status. A
// target with a comma outside parentheses needs parentheses of its own kind: use auto.
#define ASSIGN_OR_RETURN(target, ...) \
  RDMALAB_ASSIGN_OR_RETURN(RDMALAB_CONCAT(rdmalab_result_, __LINE__), target, __VA_ARGS__)
#define RDMALAB_ASSIGN_OR_RETURN(result, target, ...)  \
  auto result = (__VA_ARGS__);                         \
  if (!result.ok()) return std::move(result).status(); \
  target = *std::move(result)

#endif  // RDMALAB_ENGINE_BASE_STATUS_H_
