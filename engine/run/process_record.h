// What a process leaves beside its samples: <role>.json, written before anything is measured and
// again at the end, and <role>.metrics.
#ifndef RDMALAB_ENGINE_RUN_PROCESS_RECORD_H_
#define RDMALAB_ENGINE_RUN_PROCESS_RECORD_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/base/clock.h"
#include "engine/base/clock_check.h"
#include "engine/results/counters.h"
#include "engine/results/self_description.h"
#include "engine/run/options.h"
#include "engine/ucx/context.h"
#include "engine/ucx/lane_check.h"

namespace rdmalab {

class ProcessRecord {
 public:
  // Reads what does not change while the process runs: binary, limits.
  static absl::StatusOr<ProcessRecord> Create(const Options& options, const Clock& clock);

  const std::string& binary_sha256() const { return self_.process.binary_sha256; }
  const std::string& ucx_runtime() const { return self_.ucx->runtime; }
  Counters& counters() { return *counters_; }

  // Adds the library as it runs, its resolved settings and memory domains.
  absl::Status AddUcx(const ucx::Context& context);
  // Adds the port that is driven without UCX.
  void AddVerbs(VerbsFacts facts) { self_.verbs = std::move(facts); }
  // Adds a verdict; with several the worst one counts and all rows are kept.
  void AddLaneCheck(const ucx::LaneWanted& wanted, const ucx::LaneVerdict& verdict);

  absl::Status Write() const;
  // With the clock's drift over the run, and the counters.
  absl::Status WriteAtEnd();

 private:
  ProcessRecord(const Options& options, const Clock& clock);

  std::string base_path_;  // OUT/ROLE
  Clock clock_;
  ClockCheck clock_check_;
  SelfDescription self_;
  ucx::LaneAnswer lane_answer_ = ucx::LaneAnswer::kAccepted;
  std::unique_ptr<Counters> counters_;
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_RUN_PROCESS_RECORD_H_
