#include "engine/base/sha256.h"

#include "engine/base/file.h"
#include "engine/base/hex.h"
#include "gtest/gtest.h"

namespace rdmalab {
namespace {

TEST(Sha256, GivesThePublishedDigests) {
  // NIST's examples for FIPS 180-4.
  EXPECT_EQ(Sha256::HexOf(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256::HexOf("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Sha256::HexOf("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(Sha256::HexOf(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, DoesNotDependOnThePieces) {
  // Every length around the block's end, cut at every place.
  for (size_t length = 50; length <= 70; ++length) {
    const std::string text(length, 'q');
    for (size_t cut = 0; cut <= length; ++cut) {
      Sha256 pieces;
      pieces.Update(text.substr(0, cut));
      pieces.Update(text.substr(cut));
      ASSERT_EQ(ToHex(pieces.Finish()), Sha256::HexOf(text)) << length << " cut at " << cut;
    }
  }
}

TEST(Sha256, OfAFile) {
  const std::string path = testing::TempDir() + "/content";
  const std::string content(1'000'000, 'a');
  ASSERT_TRUE(WriteFileAtomically(path, content).ok());
  const absl::StatusOr<std::string> digest = Sha256::HexOfFile(path);
  ASSERT_TRUE(digest.ok()) << digest.status();
  EXPECT_EQ(*digest, Sha256::HexOf(content));
  EXPECT_EQ(Sha256::HexOfFile("/nowhere").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(Sha256::HexOfFile("/").status().message(), "read(/): Is a directory");
}

}  // namespace
}  // namespace rdmalab
