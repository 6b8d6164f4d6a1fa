// The engine's log: lines `I name: text` on stderr, one write(2) each, so that lines of two threads
// never mix.
//
// Never called between the two clock reads of a sample.
#ifndef RDMALAB_ENGINE_BASE_LOG_H_
#define RDMALAB_ENGINE_BASE_LOG_H_

#include "absl/strings/string_view.h"

namespace rdmalab {

// `name` says which part speaks: "owner", "lane_check". A line break inside `text` is written as
// "\n".
void LogInfo(absl::string_view name, absl::string_view text);
void LogWarning(absl::string_view name, absl::string_view text);
void LogError(absl::string_view name, absl::string_view text);

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_BASE_LOG_H_
