// Builds a little-endian binary record, on any machine.
//
//   ByteWriter writer;
//   writer.Append<uint16_t>(kVersion);
//   writer.AppendBytes(key);
//   Send(writer.bytes());
#ifndef RDMALAB_ENGINE_BASE_BYTE_WRITER_H_
#define RDMALAB_ENGINE_BASE_BYTE_WRITER_H_

#include <concepts>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"

namespace rdmalab {

class ByteWriter {
 public:
  template <std::unsigned_integral T>
  void Append(T value) {
    for (size_t i = 0; i < sizeof(T); ++i) {
      bytes_.push_back(static_cast<uint8_t>(static_cast<uint64_t>(value) >> (8 * i)));
    }
  }

  void AppendBytes(absl::Span<const uint8_t> bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }

  const std::vector<uint8_t>& bytes() const { return bytes_; }
  std::vector<uint8_t> Take() && { return std::move(bytes_); }

 private:
  std::vector<uint8_t> bytes_;
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_BASE_BYTE_WRITER_H_
