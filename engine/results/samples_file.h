// samples.jsonl: a start line, then samples and one block line per block, then an end line.
//
// After each block line the file is on disk. A block that could not be written (disk full) is taken
// back, so that the file holds finished blocks only and room may be left for the end line; nothing
// written before is lost.
#ifndef RDMALAB_ENGINE_RESULTS_SAMPLES_FILE_H_
#define RDMALAB_ENGINE_RESULTS_SAMPLES_FILE_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/base/clock.h"
#include "engine/base/file_descriptor.h"
#include "engine/results/failure.h"

namespace rdmalab {

struct StartLine {
  std::string plan_sha256;
  int pair = 0;  // number of the launched pair
  std::string role;
  int64_t started_utc_ns = 0;
};

struct BlockLine {
  int block = 0;
  int pair = 0;
  int64_t stage_wait_ns = 0;
  int64_t barrier_wait_ns = 0;
  int64_t verified_bytes = 0;
  int64_t wall_ns = 0;
  int64_t utc_ns = 0;
};

enum class EndStatus { kDone, kFailed, kInterrupted };

struct EndLine {
  EndStatus status = EndStatus::kDone;
  int exit = 0;
  std::optional<Failure> error;
};

class SamplesFile {
 public:
  // AlreadyExists if the file is there: a pair's folder is used once.
  static absl::StatusOr<SamplesFile> Create(const std::string& path, const StartLine& start,
                                            const Clock& clock);

  // Writes the samples' lines and the block line and waits until they are on disk. `samples` are
  // the lines' objects; one with an `error` that is not null counts as failed.
  absl::Status WriteBlock(const std::vector<nlohmann::ordered_json>& samples,
                          const BlockLine& block);

  // The last line. Its counts are those of the blocks written.
  absl::Status WriteEnd(const EndLine& end);

  int64_t samples() const { return samples_; }
  int64_t failed() const { return failed_; }
  int64_t blocks() const { return blocks_; }

 private:
  SamplesFile(std::string path, FileDescriptor fd) : path_(std::move(path)), fd_(std::move(fd)) {}

  // All of `text` to disk, or none of it.
  absl::Status Append(const std::string& text);

  std::string path_;
  FileDescriptor fd_;
  int64_t bytes_on_disk_ = 0;
  int64_t samples_ = 0;
  int64_t failed_ = 0;
  int64_t blocks_ = 0;
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_RESULTS_SAMPLES_FILE_H_
