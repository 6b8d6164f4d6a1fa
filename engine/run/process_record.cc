#include "engine/run/process_record.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/base/file.h"
#include "engine/base/json_text.h"
#include "engine/base/sha256.h"
#include "engine/base/status.h"
#include "engine/plan/capabilities.h"
#include "engine/results/process_facts.h"
#include "engine/ucx/library.h"

namespace rdmalab {
namespace {

LaneRow RowOf(const ucx::ProtocolRow& row) {
  LaneRow result;
  result.from_bytes = static_cast<int64_t>(row.from_bytes);
  result.protocol = row.protocol;
  result.config = row.config;
  result.estimate = row.estimate;
  if (row.to_bytes != ucx::ProtocolRow::kInfinite) {
    result.to_bytes = static_cast<int64_t>(row.to_bytes);
  }
  return result;
}

bool Same(const LaneRow& a, const LaneRow& b) {
  return a.from_bytes == b.from_bytes && a.to_bytes == b.to_bytes && a.protocol == b.protocol &&
         a.config == b.config && a.estimate == b.estimate;
}

}  // namespace

ProcessRecord::ProcessRecord(const Options& options, const Clock& clock)
    : base_path_(absl::StrCat(options.out, "/", Name(options.role))),
      clock_(clock),
      clock_check_(ClockCheck::Start(clock)),
      counters_(std::make_unique<Counters>()) {
  self_.role = Name(options.role);
  self_.engine_version = kEngineVersion;
}

absl::StatusOr<ProcessRecord> ProcessRecord::Create(const Options& options, const Clock& clock) {
  ProcessRecord record(options, clock);
  ASSIGN_OR_RETURN(record.self_.process, ReadProcessFacts());
  return record;
}

absl::Status ProcessRecord::AddUcx(const ucx::Context& context) {
  const ucx::LibraryFacts library = ucx::ReadLibraryFacts();
  UcxFacts facts;
  facts.header = library.header_version;
  facts.runtime = library.runtime_version;
  facts.library_path = library.library_path;
  facts.settings = ucx::ResolvedSettings();
  facts.env = ucx::UcxEnvironment();
  facts.memory_domains = context.memory_domains();
  ASSIGN_OR_RETURN(facts.library_sha256, Sha256::HexOfFile(library.library_path));
  if (!library.conf_paths.empty()) {
    facts.conf_path = library.conf_paths.back();  // the one that has the last word
    ASSIGN_OR_RETURN(facts.conf_sha256, Sha256::HexOfFile(*facts.conf_path));
  }
  self_.ucx = std::move(facts);
  return absl::OkStatus();
}

void ProcessRecord::AddLaneCheck(const ucx::LaneWanted& wanted, const ucx::LaneVerdict& verdict) {
  const bool first = !self_.lane_check.has_value();
  if (first) self_.lane_check.emplace();
  LaneCheckFacts& facts = *self_.lane_check;
  facts.operation = wanted.operation;
  for (const ucx::ProtocolRow& row : verdict.rows) {
    const LaneRow lane_row = RowOf(row);
    const bool known =
        std::any_of(facts.rows.begin(), facts.rows.end(),
                    [&lane_row](const LaneRow& other) { return Same(lane_row, other); });
    if (!known) facts.rows.push_back(lane_row);
  }
  if (!first && verdict.answer <= lane_answer_) return;
  lane_answer_ = verdict.answer;
  const absl::string_view name = ucx::LaneAnswerName(verdict.answer);
  facts.verdict = std::string(name.data(), name.size());
  facts.text = verdict.text;
}

absl::Status ProcessRecord::Write() const {
  return WriteFileAtomically(base_path_ + ".json", JsonLine(ToJson(self_, clock_)) + "\n");
}

absl::Status ProcessRecord::WriteAtEnd() {
  self_.clock_drift = clock_check_.Finish();
  RETURN_IF_ERROR(Write());
  return WriteFileAtomically(base_path_ + ".metrics", counters_->OpenMetricsText());
}

}  // namespace rdmalab
