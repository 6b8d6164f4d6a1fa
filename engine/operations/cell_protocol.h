// What consumer and owner tell each other around a cell, over the session's connection: one line of
// JSON per frame. The consumer asks, the owner answers.
#ifndef RDMALAB_ENGINE_OPERATIONS_CELL_PROTOCOL_H_
#define RDMALAB_ENGINE_OPERATIONS_CELL_PROTOCOL_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "engine/operations/backend.h"

namespace rdmalab {

// "Make ready for this cell; this is how you reach me."
struct OpenRequest {
  int cell = 0;
  int rep = 0;
  std::string offer;
};
// "This is how you reach me", or why it cannot be.
struct OpenAnswer {
  std::string offer;
  absl::Status error;
};
// "That was all": messages that were completed, or nothing when the cell failed.
struct CloseRequest {
  std::optional<uint64_t> messages;
};
// What the owner saw.
struct CloseAnswer {
  uint64_t received = 0;
  bool verified = false;
  absl::Status error;  // of its own part, or of the bytes
  LinkFacts facts;
};

std::string ToText(const OpenRequest& request);
std::string ToText(const OpenAnswer& answer);
std::string ToText(const CloseRequest& request);
std::string ToText(const CloseAnswer& answer);

// DataLoss, naming what is wrong, when a frame is none of these.
absl::StatusOr<OpenRequest> OpenRequestFrom(absl::Span<const uint8_t> frame);
absl::StatusOr<OpenAnswer> OpenAnswerFrom(absl::Span<const uint8_t> frame);
absl::StatusOr<CloseRequest> CloseRequestFrom(absl::Span<const uint8_t> frame);
absl::StatusOr<CloseAnswer> CloseAnswerFrom(absl::Span<const uint8_t> frame);

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_OPERATIONS_CELL_PROTOCOL_H_
