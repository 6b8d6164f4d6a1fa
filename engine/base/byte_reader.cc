#include "engine/base/byte_reader.h"

#include "absl/strings/str_cat.h"

namespace rdmalab {

absl::StatusOr<absl::Span<const uint8_t>> ByteReader::ReadBytes(size_t count,
                                                                absl::string_view field) {
  if (count > remaining()) {
    return absl::InvalidArgumentError(absl::StrCat("truncated: ", field, " at offset ", offset_,
                                                   " needs ", count, " bytes, ", remaining(),
                                                   " are left"));
  }
  const absl::Span<const uint8_t> taken = bytes_.subspan(offset_, count);
  offset_ += count;
  return taken;
}

absl::Status ByteReader::ExpectEnd() const {
  if (remaining() == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(remaining(), " bytes too many after offset ", offset_));
}

}  // namespace rdmalab
