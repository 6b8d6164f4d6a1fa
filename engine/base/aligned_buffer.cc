#include "engine/base/aligned_buffer.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace rdmalab {
namespace {

constexpr size_t kHugePageBytes = size_t{2} << 20;

}  // namespace

absl::StatusOr<AlignedBuffer> AlignedBuffer::Create(const Options& options) {
  const size_t page =
      options.huge_pages ? kHugePageBytes : static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  if (options.bytes == 0 || options.bytes > std::numeric_limits<size_t>::max() / 2) {
    return absl::InvalidArgumentError(absl::StrCat("a buffer of ", options.bytes, " bytes"));
  }
  const size_t mapped_bytes = (options.bytes + page - 1) / page * page;
  int flags = MAP_PRIVATE | MAP_ANONYMOUS;
  if (options.populate) flags |= MAP_POPULATE;
  if (options.huge_pages) flags |= MAP_HUGETLB;
  void* const data = ::mmap(nullptr, mapped_bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (data == MAP_FAILED) {
    const int error = errno;
    return absl::ResourceExhaustedError(
        absl::ErrnoToStatus(error, absl::StrCat("mmap(", mapped_bytes, " bytes",
                                                options.huge_pages ? " of huge pages" : "", ")"))
            .message());
  }
  return AlignedBuffer(static_cast<uint8_t*>(data), options.bytes, mapped_bytes);
}

AlignedBuffer& AlignedBuffer::operator=(AlignedBuffer&& other) noexcept {
  // What this held goes with `other`, which unmaps it.
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(mapped_bytes_, other.mapped_bytes_);
  return *this;
}

AlignedBuffer::~AlignedBuffer() {
  if (data_ != nullptr) ::munmap(data_, mapped_bytes_);
}

}  // namespace rdmalab
