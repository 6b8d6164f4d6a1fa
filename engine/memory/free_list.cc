#include "engine/memory/free_list.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"

namespace rdmalab {

FreeList::FreeList(size_t bytes, size_t granule)
    : bytes_(bytes), granule_(granule), free_bytes_(bytes) {
  if (bytes > 0) free_.emplace(0, bytes);
}

std::optional<size_t> FreeList::Take(size_t bytes) {
  if (bytes > bytes_) return std::nullopt;  // also keeps the rounding from wrapping
  const size_t length = RoundUp(std::max<size_t>(bytes, 1));
  for (auto part = free_.begin(); part != free_.end(); ++part) {
    const auto [offset, available] = *part;
    if (available < length) continue;
    free_.erase(part);
    if (available > length) free_.emplace(offset + length, available - length);
    taken_.emplace(offset, length);
    free_bytes_ -= length;
    return offset;
  }
  return std::nullopt;
}

absl::Status FreeList::Release(size_t offset) {
  const auto slot = taken_.find(offset);
  if (slot == taken_.end()) {
    return absl::InvalidArgumentError(
        absl::StrCat("nothing is taken at offset ", offset, ": released twice?"));
  }
  size_t length = slot->second;
  free_bytes_ += length;
  taken_.erase(slot);
  auto next = free_.lower_bound(offset);
  if (next != free_.end() && next->first == offset + length) {
    length += next->second;
    next = free_.erase(next);
  }
  if (next != free_.begin()) {
    const auto previous = std::prev(next);
    if (previous->first + previous->second == offset) {
      previous->second += length;
      return absl::OkStatus();
    }
  }
  free_.emplace(offset, length);
  return absl::OkStatus();
}

size_t FreeList::largest_free_bytes() const {
  size_t largest = 0;
  for (const auto& [offset, length] : free_) largest = std::max(largest, length);
  return largest;
}

}  // namespace rdmalab
