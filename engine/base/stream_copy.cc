#include "engine/base/stream_copy.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace rdmalab {
namespace {

size_t LastLevelCacheBytes() {
  static const size_t bytes = [] {
    const int64_t l3 = sysconf(_SC_LEVEL3_CACHE_SIZE);
    const int64_t l2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return static_cast<size_t>(std::max<int64_t>({l3, l2, 0}));
  }();
  return bytes;
}

#if defined(__SSE2__)
constexpr size_t kLine = 64;

// Whole lines of the destination; `to` starts at one.
void StoreLines(uint8_t* to, const uint8_t* from, size_t lines) {
  auto* target = reinterpret_cast<__m128i*>(to);
  const auto* source = reinterpret_cast<const __m128i*>(from);
  for (size_t i = 0; i < lines; ++i, target += 4, source += 4) {
    const __m128i a = _mm_loadu_si128(source);
    const __m128i b = _mm_loadu_si128(source + 1);
    const __m128i c = _mm_loadu_si128(source + 2);
    const __m128i d = _mm_loadu_si128(source + 3);
    _mm_stream_si128(target, a);
    _mm_stream_si128(target + 1, b);
    _mm_stream_si128(target + 2, c);
    _mm_stream_si128(target + 3, d);
  }
  _mm_sfence();
}
#endif

}  // namespace

StreamCopy::StreamCopy(size_t total_bytes)
    : past_caches_(LastLevelCacheBytes() > 0 && total_bytes >= LastLevelCacheBytes() / 2) {}

void StreamCopy::operator()(void* to, const void* from, size_t bytes) const {
#if defined(__SSE2__)
  if (past_caches_) {
    auto* target = static_cast<uint8_t*>(to);
    const auto* source = static_cast<const uint8_t*>(from);
    const size_t head = std::min(bytes, -reinterpret_cast<uintptr_t>(target) % kLine);
    const size_t lines = (bytes - head) / kLine;
    const size_t tail = head + lines * kLine;
    std::memcpy(target, source, head);
    StoreLines(target + head, source + head, lines);
    std::memcpy(target + tail, source + tail, bytes - tail);
    return;
  }
#endif
  std::memcpy(to, from, bytes);
}

}  // namespace rdmalab
