// What the consumer tells the owner between gets, over the session's connection: stage this block,
// this cell comes next, that was all. The owner answers each; the time the consumer waits for an
// answer is recorded apart from every sample.
#ifndef RDMALAB_ENGINE_RUN_ORCHESTRATION_H_
#define RDMALAB_ENGINE_RUN_ORCHESTRATION_H_

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/base/clock.h"
#include "engine/exchange/frame_connection.h"
#include "engine/rendezvous/wire.h"

namespace rdmalab {

inline constexpr uint16_t kFrameStage = kFirstOrchestrationFrame;      // block id
inline constexpr uint16_t kFrameNext = kFirstOrchestrationFrame + 1;   // cell id
inline constexpr uint16_t kFrameBye = kFirstOrchestrationFrame + 2;    // 0
inline constexpr uint16_t kFrameDone = kFirstOrchestrationFrame + 16;  // echoes what was done

// The consumer's side. Each call returns the nanoseconds waited.
class Orchestration {
 public:
  Orchestration(FrameConnection& connection, const Clock& clock)
      : connection_(connection), clock_(clock) {}

  // Staging writes gigabytes: it has a time of its own.
  absl::StatusOr<int64_t> Stage(int block, absl::Duration timeout);
  absl::StatusOr<int64_t> Next(int cell, absl::Duration timeout);
  absl::StatusOr<int64_t> Bye(absl::Duration timeout);

 private:
  absl::StatusOr<int64_t> Ask(uint16_t type, uint32_t value, absl::Duration timeout);
  absl::StatusOr<std::optional<FrameConnection::Message>> NextAnswer();

  FrameConnection& connection_;
  Clock clock_;
};

// Both sides: one number as a frame.
absl::Status SendNumber(FrameConnection& connection, uint16_t type, uint32_t value,
                        const Deadline& deadline);
absl::StatusOr<uint32_t> ReadNumber(absl::Span<const uint8_t> payload);

// What the other side said when it ended before its time: the pair is over, whatever the reason.
absl::Status GaveUp(absl::string_view who, absl::Span<const uint8_t> refusal);

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_RUN_ORCHESTRATION_H_
