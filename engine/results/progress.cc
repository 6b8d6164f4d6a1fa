#include "engine/results/progress.h"

#include <unistd.h>

#include <string>

#include "engine/results/json_lines.h"

namespace rdmalab {
namespace {

constexpr int64_t kLeastIntervalNs = 100'000'000;

}  // namespace

void Progress::Report(const Position& position) {
  const int64_t now_ns = clock_.Now();
  const bool due = !last_ns_.has_value() || now_ns - *last_ns_ >= kLeastIntervalNs;
  if (!due && position.done != position.of) return;
  last_ns_ = now_ns;
  const std::string line = Line({{"kind", "progress"},
                                 {"done", position.done},
                                 {"of", position.of},
                                 {"block", position.block},
                                 {"cell", position.cell}});
  [[maybe_unused]] const ssize_t written = ::write(fd_, line.data(), line.size());
}

}  // namespace rdmalab
