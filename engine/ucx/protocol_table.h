// UCX's protocol tables (UCX_PROTO_INFO=y), read out of a log of this very process. Layouts of 1.16
// to 1.22.
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

  friend bool operator==(const ProtocolRow&, const ProtocolRow&) = default;
};

enum class Scope { kUnknown, kSelf, kIntraNode, kInterNode };

struct ProtocolTable {
  std::string operation;  // "remote memory read by ucp_get* into host memory from host"
  Scope scope = Scope::kUnknown;
  std::string context;     // "ucp_context_0", "perftest", as printed before the scope
  std::optional<int> pid;  // of the process that printed it; nothing if the log has no prefix
  std::vector<ProtocolRow> rows;
};

const char* ScopeName(Scope scope);

// All tables of the text, in order. Lines that are no part of one are skipped, other boxes with
// borders too; a table that the text cuts keeps the rows that are whole.
std::vector<ProtocolTable> ParseProtocolTables(absl::string_view text);

// True for exactly "remote memory read by ucp_get* ...": a plain ucp_get, which is what the engine
// calls. The table of "ucp_get*(multi)" is another configuration of UCX, and puts and messages are
// other operations.
bool IsPlainGet(const ProtocolTable& table);

}  // namespace rdmalab::ucx

#endif  // RDMALAB_ENGINE_UCX_PROTOCOL_TABLE_H_
