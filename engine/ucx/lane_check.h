// Is the lane that carried the GETs the one that the plan wants? Judged from the consumer's own
// protocol tables, after its first GET: before that there is no table.
//
//   ASSIGN_OR_RETURN(const std::string log, ucx::ReadOwnLog());
//   const ucx::LaneVerdict verdict =
//       ucx::CheckLane(ucx::ParseProtocolTables(log), {.lane = "shm", .protocols = ..., ...});
//   RETURN_IF_ERROR(verdict.ToStatus());   // FailedPrecondition, exit 3
//
// Fails closed: a size without a row that counts is unproven, which is not accepted. Where several
// tables cover a size (one per endpoint configuration), all of them must be accepted.
#ifndef RDMALAB_ENGINE_UCX_LANE_CHECK_H_
#define RDMALAB_ENGINE_UCX_LANE_CHECK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "engine/ucx/protocol_table.h"

namespace rdmalab::ucx {

enum class LaneAnswer { kAccepted, kUnproven, kRefused };

// "accepted", "unproven", "refused": as in the self-description.
absl::string_view LaneAnswerName(LaneAnswer answer);

struct LaneWanted {
  std::string lane;                     // name, for messages
  std::vector<std::string> protocols;   // plan lane.accepts["get"]: descriptions as UCX prints them
  std::vector<std::string> transports;  // plan lane.transports: the part before '/', e.g. {"cma"}
  std::vector<uint64_t> sizes;          // that are measured, in bytes
  int pid = 0;                          // whose tables count; 0: any process's
  // The loopback role talks to a worker of its own process and adds kSelf.
  std::vector<Scope> scopes = {Scope::kIntraNode, Scope::kInterNode};
  std::string operation = std::string(kPlainHostGet);
};

struct SizeAnswer {
  uint64_t bytes;
  LaneAnswer answer;
  ProtocolRow row;  // that decided; empty when no row covers the size
};

struct LaneVerdict {
  LaneAnswer answer = LaneAnswer::kUnproven;  // the worst of all sizes
  std::string text;                           // what was found and, if not accepted, what to try
  std::vector<SizeAnswer> sizes;              // in the order asked
  std::vector<ProtocolRow> rows;              // all that count, estimates included

  // OK when accepted, else FailedPrecondition with the text.
  absl::Status ToStatus() const;
};

LaneVerdict CheckLane(const std::vector<ProtocolTable>& tables, const LaneWanted& wanted);

// Transport names in a configuration cell, each once: "rc_verbs/rxe0:1/path0" -> {"rc_verbs"},
// "55% on cma/memory and 45% on rc_mlx5/mlx5_0:1" -> {"cma", "rc_mlx5"}.
std::vector<std::string> TransportsOf(absl::string_view config);

}  // namespace rdmalab::ucx

#endif  // RDMALAB_ENGINE_UCX_LANE_CHECK_H_
