#include "engine/arms/fresh_buffer.h"

#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "engine/base/status.h"

namespace rdmalab {

void FreshBuffer::Free::operator()(uint8_t* data) const { std::free(data); }

absl::StatusOr<FreshBuffer> FreshBuffer::Create(size_t bytes) {
  FreshBuffer buffer;
  buffer.bytes_ = bytes;
  if (bytes >= kFromKernel) {
    ASSIGN_OR_RETURN(buffer.large_, AlignedBuffer::Create({.bytes = bytes}));
    return buffer;
  }
  buffer.small_.reset(static_cast<uint8_t*>(std::malloc(bytes)));
  if (buffer.small_ == nullptr) {
    return absl::ResourceExhaustedError(absl::StrCat("malloc(", bytes, "): no memory"));
  }
  return buffer;
}

absl::Span<uint8_t> FreshBuffer::span() const {
  return absl::MakeSpan(large_.has_value() ? large_->data() : small_.get(), bytes_);
}

}  // namespace rdmalab
