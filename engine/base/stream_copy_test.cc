#include "engine/base/stream_copy.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

namespace rdmalab {
namespace {

// A payload of which no cache holds a half: its parts take the way past the caches.
constexpr size_t kHuge = size_t{1} << 40;

class StreamCopyTest : public ::testing::TestWithParam<size_t> {};

TEST_P(StreamCopyTest, CopiesEveryByteAndNoOther) {
  std::vector<uint8_t> from(1000);
  std::iota(from.begin(), from.end(), 1);
  const StreamCopy copy(GetParam());
  for (size_t start = 0; start < 130; start += 13) {
    for (const size_t bytes :
         {size_t{0}, size_t{1}, size_t{63}, size_t{64}, size_t{65}, size_t{200}, size_t{777}}) {
      std::vector<uint8_t> to(1000, 0xEE);
      copy(to.data() + start, from.data() + 3, bytes);
      for (size_t i = 0; i < to.size(); ++i) {
        const bool inside = i >= start && i < start + bytes;
        ASSERT_EQ(to[i], inside ? from[i - start + 3] : 0xEE) << start << " " << bytes << " " << i;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(OfPayloads, StreamCopyTest, ::testing::Values(size_t{4096}, kHuge));

}  // namespace
}  // namespace rdmalab
