#include "engine/sampling/block_ids.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "engine/base/status.h"

namespace rdmalab {
namespace {

// A plain decimal number: SimpleAtoi alone takes signs and blanks too.
bool ParseId(absl::string_view text, int* id) {
  return !text.empty() && std::all_of(text.begin(), text.end(), absl::ascii_isdigit) &&
         absl::SimpleAtoi(text, id);
}

// "7" or "7-9", both ends included.
absl::StatusOr<std::pair<int, int>> ParseRange(absl::string_view text) {
  const std::pair<absl::string_view, absl::string_view> ends =
      absl::StrSplit(text, absl::MaxSplits('-', 1));
  const bool single = text.find('-') == absl::string_view::npos;
  int first = 0;
  int last = 0;
  if (!ParseId(ends.first, &first) || (!single && !ParseId(ends.second, &last))) {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", text, "\": expected a block id or a range such as 0-19"));
  }
  return std::make_pair(first, single ? first : last);
}

}  // namespace

absl::StatusOr<std::vector<int>> ParseBlockIds(const std::string& text, int blocks) {
  std::vector<int> ids;
  for (const absl::string_view part : absl::StrSplit(text, ',')) {
    ASSIGN_OR_RETURN(const auto range, ParseRange(part));
    if (range.second < range.first || (!ids.empty() && range.first <= ids.back())) {
      return absl::InvalidArgumentError(
          absl::StrCat("\"", part, "\": block ids must rise, each once"));
    }
    if (range.second >= blocks) {
      return absl::InvalidArgumentError(
          absl::StrCat("\"", part, "\": the plan has blocks 0 to ", blocks - 1));
    }
    for (int id = range.first; id <= range.second; ++id) ids.push_back(id);
  }
  return ids;
}

}  // namespace rdmalab
