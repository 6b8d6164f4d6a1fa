#include "engine/base/sha256.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "engine/base/file.h"
#include "engine/base/hex.h"
#include "engine/base/status.h"

namespace rdmalab {
namespace {

constexpr size_t kBlockBytes = 64;
constexpr size_t kLengthBytes = 8;
constexpr size_t kFilePieceBytes = 256 * 1024;

// First 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS
// 180-4, 4.2.2).
constexpr std::array<uint32_t, 64> kRoundConstants = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

uint32_t LoadBigEndian(const uint8_t* bytes) {
  return uint32_t{bytes[0]} << 24 | uint32_t{bytes[1]} << 16 | uint32_t{bytes[2]} << 8 |
         uint32_t{bytes[3]};
}

// The message schedule W of one block (6.2.2, step 1).
std::array<uint32_t, 64> Schedule(const uint8_t* block) {
  std::array<uint32_t, 64> w;
  for (size_t t = 0; t < 16; ++t) w[t] = LoadBigEndian(block + 4 * t);
  for (size_t t = 16; t < 64; ++t) {
    const uint32_t s0 = std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ (w[t - 15] >> 3);
    const uint32_t s1 = std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ (w[t - 2] >> 10);
    w[t] = w[t - 16] + s0 + w[t - 7] + s1;
  }
  return w;
}

}  // namespace

void Sha256::Compress(const uint8_t* block) {
  const std::array<uint32_t, 64> w = Schedule(block);
  auto [a, b, c, d, e, f, g, h] = state_;
  for (size_t t = 0; t < 64; ++t) {
    const uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const uint32_t choice = (e & f) ^ (~e & g);
    const uint32_t t1 = h + s1 + choice + kRoundConstants[t] + w[t];
    const uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const uint32_t majority = (a & b) ^ (a & c) ^ (b & c);
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + s0 + majority;
  }
  const std::array<uint32_t, 8> added = {a, b, c, d, e, f, g, h};
  for (size_t i = 0; i < state_.size(); ++i) state_[i] += added[i];
}

void Sha256::Update(absl::string_view data) {
  total_bytes_ += data.size();
  for (size_t offset = 0; offset < data.size();) {
    const size_t taken = std::min(kBlockBytes - pending_bytes_, data.size() - offset);
    std::copy_n(data.data() + offset, taken, pending_.data() + pending_bytes_);
    offset += taken;
    pending_bytes_ += taken;
    if (pending_bytes_ == kBlockBytes) {
      Compress(pending_.data());
      pending_bytes_ = 0;
    }
  }
}

Sha256::Digest Sha256::Finish() {
  const uint64_t total_bits = 8 * total_bytes_;
  pending_[pending_bytes_++] = 0x80;
  if (pending_bytes_ > kBlockBytes - kLengthBytes) {
    std::fill(pending_.begin() + static_cast<std::ptrdiff_t>(pending_bytes_), pending_.end(), 0);
    Compress(pending_.data());
    pending_bytes_ = 0;
  }
  std::fill(pending_.begin() + static_cast<std::ptrdiff_t>(pending_bytes_), pending_.end(), 0);
  for (size_t i = 0; i < kLengthBytes; ++i) {
    pending_[kBlockBytes - 1 - i] = static_cast<uint8_t>(total_bits >> (8 * i));
  }
  Compress(pending_.data());

  Digest digest;
  for (size_t i = 0; i < digest.size(); ++i) {
    digest[i] = static_cast<uint8_t>(state_[i / 4] >> (24 - 8 * (i % 4)));
  }
  return digest;
}

std::string Sha256::HexOf(absl::string_view data) {
  Sha256 sha256;
  sha256.Update(data);
  return ToHex(sha256.Finish());
}

absl::StatusOr<std::string> Sha256::HexOfFile(const std::string& path) {
  ASSIGN_OR_RETURN(const FileDescriptor fd, OpenFile(path, O_RDONLY));
  Sha256 sha256;
  std::vector<char> piece(kFilePieceBytes);
  while (true) {
    const ssize_t got = ::read(fd.get(), piece.data(), piece.size());
    if (got == 0) return ToHex(sha256.Finish());
    if (got > 0) {
      sha256.Update({piece.data(), static_cast<size_t>(got)});
    } else if (errno != EINTR) {
      const int error = errno;
      return absl::ErrnoToStatus(error, absl::StrCat("read(", path, ")"));
    }
  }
}

}  // namespace rdmalab
