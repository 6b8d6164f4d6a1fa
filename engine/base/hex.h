// Lower-case hexadecimal for digests, tokens and packed keys in files and messages.
#ifndef RDMALAB_ENGINE_BASE_HEX_H_
#define RDMALAB_ENGINE_BASE_HEX_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace rdmalab {

// Two digits per byte, no prefix.
std::string ToHex(absl::Span<const uint8_t> bytes);

// InvalidArgument on an odd length or on anything that is not a digit; both cases are accepted.
absl::StatusOr<std::vector<uint8_t>> FromHex(absl::string_view text);

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_BASE_HEX_H_
