#include "engine/rendezvous/descriptor.h"

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/little_endian.h"
#include "gtest/gtest.h"

namespace rdmalab {
namespace {

constexpr uint64_t kGeneration = 7;
constexpr uint64_t kLength = 65536;

const DescriptorExpectation kExpected{.generation = kGeneration, .length = kLength};

std::vector<uint8_t> Encoded(size_t key_bytes = 11) {
  const std::vector<uint8_t> key(key_bytes, 0xa5);
  std::vector<uint8_t> out(kMaxDescriptorBytes);
  auto bytes = EncodeDescriptor(
      {.generation = kGeneration, .address = 0x7f0000001000, .length = kLength, .key = key},
      absl::MakeSpan(out));
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  out.resize(*bytes);
  return out;
}

// The decoder must refuse `bytes` and say why in words that contain `why`.
void ExpectRefused(const std::vector<uint8_t>& bytes, const std::string& why) {
  auto decoded = DecodeDescriptor(bytes, kExpected);
  ASSERT_FALSE(decoded.ok()) << why;
  EXPECT_EQ(decoded.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_NE(std::string(decoded.status().message()).find(why), std::string::npos)
      << decoded.status();
}

TEST(Descriptor, ReadsBackWhatWasWritten) {
  const std::vector<uint8_t> bytes = Encoded();
  auto decoded = DecodeDescriptor(bytes, kExpected);
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(decoded->generation, kGeneration);
  EXPECT_EQ(decoded->address, 0x7f0000001000u);
  EXPECT_EQ(decoded->length, kLength);
  EXPECT_EQ(std::vector<uint8_t>(decoded->key.begin(), decoded->key.end()),
            std::vector<uint8_t>(11, 0xa5));
}

TEST(Descriptor, EachTruncationIsRefused) {
  const std::vector<uint8_t> whole = Encoded();
  for (size_t bytes = 0; bytes < whole.size(); ++bytes) {
    ExpectRefused({whole.begin(), whole.begin() + static_cast<ptrdiff_t>(bytes)}, "cut short");
  }
}

TEST(Descriptor, TrailingBytesAreRefused) {
  std::vector<uint8_t> bytes = Encoded();
  bytes.push_back(0);
  ExpectRefused(bytes, "trailing bytes");
}

TEST(Descriptor, ForeignMagicBackendVersionAndFlagsAreRefused) {
  struct Lie {
    size_t offset;
    std::string why;
  };
  for (const Lie& lie : {Lie{0, "magic"}, Lie{4, "backend"}, Lie{5, "version"}, Lie{6, "flags"},
                         Lie{7, "flags"}, Lie{36, "flags"}}) {
    std::vector<uint8_t> bytes = Encoded();
    bytes[lie.offset] ^= 0x40;
    ExpectRefused(bytes, lie.why);
  }
}

TEST(Descriptor, LyingNumbersAreRefused) {
  struct Lie {
    size_t offset;
    uint64_t value;
    std::string why;
  };
  for (const Lie& lie : {Lie{8, kGeneration + 1, "generation 8"}, Lie{24, 0, "length 0"},
                         Lie{24, kLength + 1, "the offer says"}, Lie{24, ~uint64_t{0}, "the offer"},
                         Lie{16, 0, "address 0"}, Lie{16, ~uint64_t{0} - 100, "wraps around"}}) {
    std::vector<uint8_t> bytes = Encoded();
    StoreLittle<uint64_t>(bytes.data() + lie.offset, lie.value);
    ExpectRefused(bytes, lie.why);
  }
}

TEST(Descriptor, ImpossibleKeyLengthsAreRefused) {
  for (uint32_t key_bytes : {0u, 8u, 4097u, 0xffffffffu}) {
    std::vector<uint8_t> bytes = Encoded();
    StoreLittle<uint32_t>(bytes.data() + 32, key_bytes);
    ExpectRefused(bytes, "a key of");
  }
  std::vector<uint8_t> longer_key_than_bytes = Encoded();
  StoreLittle<uint32_t>(longer_key_than_bytes.data() + 32, 12);
  ExpectRefused(longer_key_than_bytes, "cut short");
}

TEST(Descriptor, TheLastByteOfTheAddressSpaceMayBeUsed) {
  std::vector<uint8_t> bytes = Encoded();
  StoreLittle<uint64_t>(bytes.data() + 16, ~uint64_t{0} - kLength + 1);
  EXPECT_TRUE(DecodeDescriptor(bytes, kExpected).ok());
}

TEST(Descriptor, WriterRefusesWhatNoReaderWouldTake) {
  std::vector<uint8_t> out(kMaxDescriptorBytes);
  const std::vector<uint8_t> empty;
  EXPECT_FALSE(EncodeDescriptor({.length = 1, .key = empty}, absl::MakeSpan(out)).ok());
  const std::vector<uint8_t> key(20);
  EXPECT_FALSE(
      EncodeDescriptor({.length = 1, .key = key}, absl::MakeSpan(out).subspan(0, 59)).ok());
}

}  // namespace
}  // namespace rdmalab
