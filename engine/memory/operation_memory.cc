#include "engine/memory/operation_memory.h"

#include <utility>

#include "engine/base/status.h"

namespace rdmalab {

absl::StatusOr<std::unique_ptr<HostMemory>> HostMemory::Create(const Options& options) {
  ASSIGN_OR_RETURN(AlignedBuffer buffer, AlignedBuffer::Create({.bytes = options.bytes,
                                                                .populate = true,
                                                                .huge_pages = options.huge_pages}));
  return std::unique_ptr<HostMemory>(new HostMemory(std::move(buffer)));
}

absl::Status HostMemory::Edit(size_t offset, size_t bytes,
                              absl::FunctionRef<void(absl::Span<uint8_t>)> change) {
  change(buffer_.span().subspan(offset, bytes));
  return absl::OkStatus();
}

absl::Status HostMemory::Look(size_t offset, size_t bytes,
                              absl::FunctionRef<absl::Status(absl::Span<const uint8_t>)> look) {
  return look(buffer_.span().subspan(offset, bytes));
}

}  // namespace rdmalab
