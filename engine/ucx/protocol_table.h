// UCX's protocol tables (UCX_PROTO_INFO), read out of a log of this very process. Both layouts,
// that of 1.16 to 1.21 and that of 1.22.
//
// A table belongs to one process, one scope and one operation. Its rows say which protocol UCX
// selected for a range of sizes and over which lane; a row marked (?) is an estimate that UCX may
// change, and is kept as such.
#ifndef RDMALAB_ENGINE_UCX_PROTOCOL_TABLE_H_
#define RDMALAB_ENGINE_UCX_PROTOCOL_TABLE_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace rdmalab::ucx {

struct ProtocolRow {
  static constexpr uint64_t kInfinite = std::numeric_limits<uint64_t>::max();

  uint64_t from_bytes = 0;
  uint64_t to_bytes = 0;  // inclusive; kInfinite for "inf"
  std::string protocol;   // "zero-copy", without the mark of an estimate
  std::string config;     // "rc_verbs/rxe0:1/path0", as printed; may be empty
  bool estimate = false;  // the row was marked (?)

  bool Covers(uint64_t bytes) const { return from_bytes <= bytes && bytes <= to_bytes; }

  friend bool operator==(const ProtocolRow&, const ProtocolRow&) = default;
};

enum class Scope { kUnknown, kSelf, kIntraNode, kInterNode };

absl::string_view ScopeName(Scope scope);

struct ProtocolTable {
  std::string operation;  // kPlainHostGet, "active message by ucp_am_send* from host memory", ...
  Scope scope = Scope::kUnknown;
  std::string context;     // "ucp_context_0", "perftest": as printed before the scope
  std::optional<int> pid;  // of the process that printed it; nothing if the log has no prefix
  std::vector<ProtocolRow> rows;
};

// What the engine's GET is called in a title. The table of "ucp_get*(multi)" is another
// configuration of UCX, and puts and messages are other operations.
inline constexpr absl::string_view kPlainHostGet =
    "remote memory read by ucp_get* into host memory from host";

// All tables of the text, in order of their titles. Lines that are no part of one are skipped,
// other boxes with borders too; a table that the text cuts keeps the rows that are whole.
std::vector<ProtocolTable> ParseProtocolTables(absl::string_view text);

}  // namespace rdmalab::ucx

#endif  // RDMALAB_ENGINE_UCX_PROTOCOL_TABLE_H_
