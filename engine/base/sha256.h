// SHA-256 (FIPS 180-4) for the digests of plans and binaries. Written here because a cryptography
// library would be a run-time dependency of every node, for files of a few megabytes, read once.
#ifndef RDMALAB_ENGINE_BASE_SHA256_H_
#define RDMALAB_ENGINE_BASE_SHA256_H_

#include <array>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace rdmalab {

class Sha256 {
 public:
  using Digest = std::array<uint8_t, 32>;

  // 64 hexadecimal digits.
  static std::string HexOf(absl::string_view data);

  // Reads the file in pieces; the error names it.
  static absl::StatusOr<std::string> HexOfFile(const std::string& path);

  void Update(absl::string_view data);
  // Once, after the last Update.
  Digest Finish();

 private:
  void Compress(const uint8_t* block);

  std::array<uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<uint8_t, 64> pending_ = {};
  size_t pending_bytes_ = 0;
  uint64_t total_bytes_ = 0;
};

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_BASE_SHA256_H_
