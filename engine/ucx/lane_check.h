// Is the lane that carried the GETs the one that the plan wants? Judged from the consumer's own
// protocol tables, after its first GET: before that there is no table.
//
//   auto text = ucx::ReadOwnLog();                       // flushes first, see log_file.h
//   ucx::LaneVerdict verdict = ucx::CheckLane(ucx::ParseProtocolTables(*text), {.protocols = ...,
//   .sizes = ...}); if (absl::Status status = verdict.ToStatus(); !status.ok()) ...   //
//   FailedPrecondition = exit 3
//
// Fails closed: a size without a row that counts is unproven, which is not accepted.
#ifndef RDMALAB_ENGINE_UCX_LANE_CHECK_H_
#define RDMALAB_ENGINE_UCX_LANE_CHECK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "engine/ucx/protocol_table.h"

namespace rdmalab::ucx {

enum class LaneAnswer { kAccepted, kRefused, kUnproven };

const char* LaneAnswerName(LaneAnswer answer);  // "accepted", ...

struct LaneWanted {
  std::string lane;                    // name, for messages
  std::vector<std::string> protocols;  // plan lane.accepts["get"]: descriptions as UCX prints them
  std::vector<std::string>
      transports;               // plan lane.transports: the part before '/', e.g. {"tcp"}, {"cma"}
  std::vector<uint64_t> sizes;  // that are measured, in bytes
  int pid = 0;                  // the process whose tables count; 0: any
};

struct SizeAnswer {
  uint64_t bytes;
  LaneAnswer answer;
  ProtocolRow row;   // that decided; empty when unproven
  std::string text;  // one clause: "software emulation over tcp/lo, which the lane accepts"
};

struct LaneVerdict {
  LaneAnswer answer =
      LaneAnswer::kUnproven;      // refused if any size is, else unproven if any is, else accepted
  std::string text;               // what was found and, if not accepted, what to try
  std::vector<SizeAnswer> sizes;  // in the order asked
  std::vector<ProtocolRow> rows;  // all rows that count

  // OK when accepted, else FailedPrecondition with the text.
  absl::Status ToStatus() const;
};

LaneVerdict CheckLane(const std::vector<ProtocolTable>& tables, const LaneWanted& wanted);

// Transport names in a configuration cell: "rc_verbs/rxe0:1/path0" -> {"rc_verbs"}, "55% on
// cma/memory and 45% on rc_mlx5/mlx5_0:1" -> {"cma", "rc_mlx5"}.
std::vector<std::string> TransportsOf(const std::string& config);

}  // namespace rdmalab::ucx

#endif  // RDMALAB_ENGINE_UCX_LANE_CHECK_H_
