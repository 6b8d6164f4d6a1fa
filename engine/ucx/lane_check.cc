#include "engine/ucx/lane_check.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace rdmalab::ucx {
namespace {

template <typename T>
bool Contains(const std::vector<T>& values, const T& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

LaneAnswer JudgeRow(const ProtocolRow& row, const LaneWanted& wanted) {
  if (row.estimate) return LaneAnswer::kUnproven;
  if (!Contains(wanted.protocols, row.protocol)) return LaneAnswer::kRefused;
  const std::vector<std::string> transports = TransportsOf(row.config);
  if (transports.empty()) return LaneAnswer::kUnproven;
  const bool all_wanted =
      std::all_of(transports.begin(), transports.end(),
                  [&](const std::string& name) { return Contains(wanted.transports, name); });
  return all_wanted ? LaneAnswer::kAccepted : LaneAnswer::kRefused;
}

// A table with a gap at this size proves nothing for it, whatever the others say.
SizeAnswer JudgeSize(uint64_t bytes, const std::vector<const ProtocolTable*>& tables,
                     const LaneWanted& wanted) {
  SizeAnswer worst = {bytes, tables.empty() ? LaneAnswer::kUnproven : LaneAnswer::kAccepted, {}};
  for (const ProtocolTable* table : tables) {
    const auto row = std::find_if(table->rows.begin(), table->rows.end(),
                                  [&](const ProtocolRow& r) { return r.Covers(bytes); });
    const bool covered = row != table->rows.end();
    const LaneAnswer answer = covered ? JudgeRow(*row, wanted) : LaneAnswer::kUnproven;
    if (answer > worst.answer || (answer == worst.answer && worst.row.protocol.empty())) {
      worst = {bytes, answer, covered ? *row : ProtocolRow()};
    }
  }
  return worst;
}

std::string Describe(const ProtocolRow& row) {
  return absl::StrCat(row.estimate ? "(?) " : "", row.protocol, " over ",
                      row.config.empty() ? "no named transport" : row.config);
}

// "4096 and 65536 bytes: software emulation over tcp/lo", one clause for each row that decided.
std::string Findings(const std::vector<SizeAnswer>& sizes, LaneAnswer answer) {
  std::vector<std::string> clauses;
  for (size_t i = 0; i < sizes.size();) {
    size_t end = i + 1;
    while (end < sizes.size() && sizes[end].answer == sizes[i].answer &&
           sizes[end].row == sizes[i].row) {
      ++end;
    }
    if (sizes[i].answer == answer) {
      const std::string range = end - i == 1
                                    ? absl::StrCat(sizes[i].bytes)
                                    : absl::StrCat(sizes[i].bytes, "..", sizes[end - 1].bytes);
      const ProtocolRow& row = sizes[i].row;
      clauses.push_back(absl::StrCat(
          range, " bytes: ", row.protocol.empty() ? "no row of a table" : Describe(row)));
    }
    i = end;
  }
  return absl::StrJoin(clauses, "; ");
}

std::string Advice(const LaneVerdict& verdict, const LaneWanted& wanted) {
  if (verdict.rows.empty()) {
    return "the log has no table of a plain GET of this process: start it with UCX_PROTO_INFO=y "
           "and UCX 1.16 or newer, and check after the first GET";
  }
  if (verdict.answer == LaneAnswer::kUnproven) {
    return "an estimate (?) or a missing row is no evidence; check after a GET of each size";
  }
  for (const SizeAnswer& size : verdict.sizes) {
    if (size.answer == LaneAnswer::kRefused && !Contains(wanted.protocols, size.row.protocol)) {
      return "UCX found no protocol of the lane between these two processes: see what UCX_TLS and "
             "UCX_NET_DEVICES select there, whether both may use the device (or, on shm, read "
             "each other's memory), or choose the lane that this is";
    }
  }
  return "UCX_TLS or UCX_NET_DEVICES let another transport in: set them to the lane's alone";
}

}  // namespace

absl::string_view LaneAnswerName(LaneAnswer answer) {
  switch (answer) {
    case LaneAnswer::kAccepted:
      return "accepted";
    case LaneAnswer::kUnproven:
      return "unproven";
    case LaneAnswer::kRefused:
      break;
  }
  return "refused";
}

absl::Status LaneVerdict::ToStatus() const {
  return answer == LaneAnswer::kAccepted ? absl::OkStatus() : absl::FailedPreconditionError(text);
}

LaneVerdict CheckLane(const std::vector<ProtocolTable>& tables, const LaneWanted& wanted) {
  LaneVerdict verdict;
  std::vector<const ProtocolTable*> counting;
  for (const ProtocolTable& table : tables) {
    if (table.operation != wanted.operation || !Contains(wanted.scopes, table.scope)) continue;
    if (wanted.pid != 0 && table.pid != wanted.pid) continue;
    counting.push_back(&table);
    for (const ProtocolRow& row : table.rows) {
      if (!Contains(verdict.rows, row)) verdict.rows.push_back(row);
    }
  }
  verdict.answer = wanted.sizes.empty() ? LaneAnswer::kUnproven : LaneAnswer::kAccepted;
  for (const uint64_t bytes : wanted.sizes) {
    verdict.sizes.push_back(JudgeSize(bytes, counting, wanted));
    verdict.answer = std::max(verdict.answer, verdict.sizes.back().answer);
  }
  verdict.text = absl::StrCat(
      "lane ", wanted.lane, " accepts a GET by ", absl::StrJoin(wanted.protocols, " or "), " over ",
      absl::StrJoin(wanted.transports, ", "), "; found ", Findings(verdict.sizes, verdict.answer));
  if (verdict.answer != LaneAnswer::kAccepted) {
    absl::StrAppend(&verdict.text, " (", LaneAnswerName(verdict.answer), "); ",
                    Advice(verdict, wanted));
  }
  return verdict;
}

std::vector<std::string> TransportsOf(absl::string_view config) {
  std::vector<std::string> names;
  for (const absl::string_view word :
       absl::StrSplit(config, absl::ByAnyChar(" ,"), absl::SkipEmpty())) {
    const size_t slash = word.find('/');
    if (slash == absl::string_view::npos || slash == 0) continue;
    std::string name(word.substr(0, slash));
    if (!Contains(names, name)) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace rdmalab::ucx
