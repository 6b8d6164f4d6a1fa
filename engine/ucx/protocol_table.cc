#include "engine/ucx/protocol_table.h"

#include <map>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace rdmalab::ucx {
namespace {

// A line of the log without its prefix, and who printed it.
struct Line {
  absl::string_view printer;  // "host:pid:thread", empty without a prefix
  absl::string_view box;      // from the first border or cell on; empty if there is none
};

Line SplitPrefix(absl::string_view line) {
  Line result;
  line = absl::StripAsciiWhitespace(line);
  // "[seconds.micro] [host:pid:thread]", then perhaps "file.c:line UCX INFO".
  for (int bracket = 0; bracket < 2 && absl::StartsWith(line, "["); ++bracket) {
    const size_t end = line.find(']');
    if (end == absl::string_view::npos) return result;
    result.printer = line.substr(1, end - 1);
    line = absl::StripLeadingAsciiWhitespace(line.substr(end + 1));
  }
  if (const size_t info = line.find("UCX  INFO "); info != absl::string_view::npos) {
    line = absl::StripLeadingAsciiWhitespace(line.substr(info + 10));
  }
  if (absl::StartsWith(line, "|") || absl::StartsWith(line, "+-")) result.box = line;
  return result;
}

std::optional<int> PidOf(absl::string_view printer) {
  const std::vector<absl::string_view> parts = absl::StrSplit(printer, ':');
  int pid = 0;
  if (parts.size() < 3 || !absl::SimpleAtoi(parts[parts.size() - 2], &pid)) return std::nullopt;
  return pid;
}

// "| a | b |" gives {"a", "b"}. Nothing for a row that does not end: the text was cut there.
std::vector<absl::string_view> CellsOf(absl::string_view row) {
  if (!absl::ConsumePrefix(&row, "|") || !absl::ConsumeSuffix(&row, "|")) return {};
  std::vector<absl::string_view> cells = absl::StrSplit(row, '|');
  for (absl::string_view& cell : cells) cell = absl::StripAsciiWhitespace(cell);
  return cells;
}

// "512", "2K", "inf".
std::optional<uint64_t> ParseBytes(absl::string_view text) {
  if (text == "inf") return ProtocolRow::kInfinite;
  static constexpr std::pair<absl::string_view, int> kSuffixes[] = {
      {"K", 10}, {"M", 20}, {"G", 30}, {"T", 40}};
  int shift = 0;
  for (const auto& [suffix, bits] : kSuffixes) {
    if (absl::ConsumeSuffix(&text, suffix)) shift = bits;
  }
  uint64_t number = 0;
  if (text.empty() || !absl::ascii_isdigit(static_cast<unsigned char>(text[0])) ||
      !absl::SimpleAtoi(text, &number) || number > (ProtocolRow::kInfinite >> shift)) {
    return std::nullopt;
  }
  return number << shift;
}

bool ParseRange(absl::string_view text, ProtocolRow& row) {
  const size_t dots = text.find("..");
  const std::optional<uint64_t> from = ParseBytes(text.substr(0, dots));
  const std::optional<uint64_t> to =
      dots == absl::string_view::npos ? from : ParseBytes(text.substr(dots + 2));
  if (!from.has_value() || !to.has_value() || *to < *from) return false;
  row.from_bytes = *from;
  row.to_bytes = *to;
  return true;
}

// "ucp_context_0 intra-node cfg#0"; up to 1.14 "mpi ep_cfg[2]", which tells no scope.
bool ParseTitle(absl::string_view cell, ProtocolTable& table) {
  std::vector<absl::string_view> words = absl::StrSplit(cell, ' ', absl::SkipEmpty());
  if (words.empty() ||
      !(absl::StartsWith(words.back(), "cfg#") || absl::StartsWith(words.back(), "ep_cfg["))) {
    return false;
  }
  words.pop_back();
  for (const Scope scope : {Scope::kSelf, Scope::kIntraNode, Scope::kInterNode}) {
    if (words.empty() || words.back() != ScopeName(scope)) continue;
    table.scope = scope;
    words.pop_back();
  }
  table.context = absl::StrJoin(words, " ");
  return true;
}

// The tables of one printer: threads and processes may print at the same time, line by line.
class Reader {
 public:
  explicit Reader(std::vector<ProtocolTable>& tables) : tables_(tables) {}

  void Read(const Line& line) {
    if (absl::StartsWith(line.box, "+")) {
      if (open_ && !tables_[current_].rows.empty()) open_ = false;  // the closing border
      return;
    }
    const std::vector<absl::string_view> cells = CellsOf(line.box);
    if (cells.empty()) return;
    ProtocolTable title;
    title.pid = PidOf(line.printer);
    if (ParseTitle(cells[0], title)) {
      open_ = false;
      title_ = std::move(title);
      if (cells.size() == 2) Open(cells[1]);  // the layout up to 1.21: title and operation in a row
    } else if (cells.size() == 1) {
      open_ = false;
      if (title_.has_value()) Open(cells[0]);  // 1.22: the row after the title
    } else if (open_) {
      ReadRow(cells);
    }
  }

 private:
  void Open(absl::string_view operation) {
    title_->operation = std::string(operation);
    current_ = tables_.size();
    tables_.push_back(*std::exchange(title_, std::nullopt));
    first_cell_ = 0;
    open_ = true;
  }

  void ReadRow(const std::vector<absl::string_view>& cells) {
    if (cells[0] == "Count") first_cell_ = 1;  // UCX_PROTO_INFO=used
    if (cells.size() != first_cell_ + 3) return;
    ProtocolRow row;
    if (!ParseRange(cells[first_cell_], row)) return;
    absl::string_view protocol = cells[first_cell_ + 1];
    row.estimate = absl::ConsumePrefix(&protocol, "(?)");
    row.protocol = std::string(absl::StripAsciiWhitespace(protocol));
    row.config = std::string(cells[first_cell_ + 2]);
    tables_[current_].rows.push_back(std::move(row));
  }

  std::vector<ProtocolTable>& tables_;
  std::optional<ProtocolTable> title_;  // read, its operation not yet
  bool open_ = false;                   // rows that come belong to tables_[current_]
  size_t current_ = 0;
  size_t first_cell_ = 0;  // of the range
};

}  // namespace

absl::string_view ScopeName(Scope scope) {
  switch (scope) {
    case Scope::kSelf:
      return "self";
    case Scope::kIntraNode:
      return "intra-node";
    case Scope::kInterNode:
      return "inter-node";
    case Scope::kUnknown:
      break;
  }
  return "unknown";
}

std::vector<ProtocolTable> ParseProtocolTables(absl::string_view text) {
  std::vector<ProtocolTable> tables;
  std::map<std::string, Reader> readers;
  for (const absl::string_view raw : absl::StrSplit(text, '\n')) {
    const Line line = SplitPrefix(raw);
    if (line.box.empty()) continue;
    readers.try_emplace(std::string(line.printer), tables).first->second.Read(line);
  }
  return tables;
}

}  // namespace rdmalab::ucx
