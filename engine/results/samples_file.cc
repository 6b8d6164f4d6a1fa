#include "engine/results/samples_file.h"

#include <fcntl.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "engine/base/file.h"
#include "engine/base/status.h"
#include "engine/results/json_lines.h"

namespace rdmalab {
namespace {

using nlohmann::ordered_json;

ordered_json ToJson(const StartLine& start, const Clock& clock) {
  return {{"kind", "start"},
          {"format", "rdmalab.samples"},
          {"version", 1},
          {"plan_sha256", start.plan_sha256},
          {"pair", start.pair},
          {"role", start.role},
          {"clock",
           {{"name", std::string(clock.name())},
            {"resolution_ns", clock.resolution_ns()},
            {"overhead_ns", clock.overhead_ns()}}},
          {"started_utc_ns", start.started_utc_ns}};
}

ordered_json ToJson(const BlockLine& block, size_t samples, int64_t failed) {
  return {{"kind", "block"},
          {"block", block.block},
          {"pair", block.pair},
          {"samples", samples},
          {"failed", failed},
          {"wait_ns", {{"stage", block.stage_wait_ns}, {"barrier", block.barrier_wait_ns}}},
          {"verified_bytes", block.verified_bytes},
          {"wall_ns", block.wall_ns},
          {"utc_ns", block.utc_ns}};
}

const char* NameOf(EndStatus status) {
  switch (status) {
    case EndStatus::kDone:
      return "done";
    case EndStatus::kFailed:
      return "failed";
    case EndStatus::kInterrupted:
      break;
  }
  return "interrupted";
}

bool HasError(const ordered_json& sample) {
  const auto error = sample.find("error");
  return error != sample.end() && !error->is_null();
}

}  // namespace

absl::StatusOr<SamplesFile> SamplesFile::Create(const std::string& path, const StartLine& start,
                                                const Clock& clock) {
  ASSIGN_OR_RETURN(FileDescriptor fd, OpenFile(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND));
  SamplesFile file(path, std::move(fd));
  RETURN_IF_ERROR(file.Append(Line(ToJson(start, clock))));
  return file;
}

absl::Status SamplesFile::Append(const std::string& text) {
  absl::Status written = WriteFully(fd_, text, path_);
  if (written.ok()) written = SyncFile(fd_, path_);
  if (written.ok()) {
    bytes_on_disk_ += static_cast<int64_t>(text.size());
    return absl::OkStatus();
  }
  // Half a line would hide the end line behind it.
  if (::ftruncate(fd_.get(), bytes_on_disk_) != 0) {
    return WithContext(written, "and the unfinished part could not be taken back");
  }
  return written;
}

absl::Status SamplesFile::WriteBlock(const std::vector<ordered_json>& samples,
                                     const BlockLine& block) {
  std::string text;
  int64_t failed = 0;
  for (const ordered_json& sample : samples) {
    text += Line(sample);
    failed += HasError(sample) ? 1 : 0;
  }
  text += Line(ToJson(block, samples.size(), failed));
  RETURN_IF_ERROR(WithContext(Append(text), absl::StrCat("block ", block.block, " is lost")));
  samples_ += static_cast<int64_t>(samples.size());
  failed_ += failed;
  ++blocks_;
  return absl::OkStatus();
}

absl::Status SamplesFile::WriteEnd(const EndLine& end) {
  return Append(Line({{"kind", "end"},
                      {"status", NameOf(end.status)},
                      {"exit", end.exit},
                      {"samples", samples_},
                      {"blocks", blocks_},
                      {"failed", failed_},
                      {"error", ToJson(end.error)}}));
}

}  // namespace rdmalab
