// Reads a little-endian binary record that may be truncated or lie. Each error names the field and
// the offset.
//
//   ByteReader reader(bytes);
//   ASSIGN_OR_RETURN(const uint16_t version, reader.Read<uint16_t>("version"));
//   ASSIGN_OR_RETURN(const auto key, reader.ReadBytes(key_length, "key"));
//   RETURN_IF_ERROR(reader.ExpectEnd());
#ifndef RDMALAB_ENGINE_BASE_BYTE_READER_H_
#define RDMALAB_ENGINE_BASE_BYTE_READER_H_

#include <concepts>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace rdmalab {

class ByteReader {
 public:
  // `bytes` outlives the reader and the spans it returns.
  explicit ByteReader(absl::Span<const uint8_t> bytes) : bytes_(bytes) {}

  template <std::unsigned_integral T>
  absl::StatusOr<T> Read(absl::string_view field) {
    const absl::StatusOr<absl::Span<const uint8_t>> raw = ReadBytes(sizeof(T), field);
    if (!raw.ok()) return raw.status();
    uint64_t value = 0;
    for (size_t i = 0; i < sizeof(T); ++i) value |= uint64_t{(*raw)[i]} << (8 * i);
    return static_cast<T>(value);
  }

  // InvalidArgument if fewer than `count` bytes are left.
  absl::StatusOr<absl::Span<const uint8_t>> ReadBytes(size_t count, absl::string_view field);

  // InvalidArgument if bytes are left over.
  absl::Status ExpectEnd() const;

  size_t remaining() const { return bytes_.size() - offset_; }

 private:
  absl::Span<const uint8_t> bytes_;
  size_t offset_ = 0;
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_BASE_BYTE_READER_H_
