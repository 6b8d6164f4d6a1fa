#include "engine/rendezvous/descriptor.h"

#include <cstring>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "engine/base/little_endian.h"

namespace rdmalab {
namespace {

constexpr uint32_t kMagic = 0x444d4452;  // "RDMD"
constexpr uint8_t kVersion = 1;

absl::Status Lie(absl::string_view what) {
  return absl::DataLossError(absl::StrCat("descriptor refused: ", what));
}

absl::Status CheckHeader(const uint8_t* in, const DescriptorExpectation& expected) {
  if (LoadLittle<uint32_t>(in) != kMagic) {
    return Lie("it does not start with the descriptor magic; not one of ours");
  }
  if (in[4] != static_cast<uint8_t>(expected.backend)) {
    return Lie(
        absl::StrCat("backend ", in[4], ", this lane uses ", static_cast<int>(expected.backend)));
  }
  if (in[5] != kVersion) {
    return Lie(absl::StrCat("version ", in[5], ", this engine reads ", kVersion));
  }
  if (LoadLittle<uint16_t>(in + 6) != 0 || LoadLittle<uint32_t>(in + 36) != 0) {
    return Lie("unknown flags");
  }
  return absl::OkStatus();
}

absl::Status CheckRange(const Descriptor& descriptor, const DescriptorExpectation& expected) {
  if (descriptor.generation != expected.generation) {
    return Lie(absl::StrCat("generation ", descriptor.generation, ", the lease is of generation ",
                            expected.generation));
  }
  if (descriptor.length == 0) return Lie("length 0");
  if (descriptor.length != expected.length) {
    return Lie(absl::StrCat("length ", descriptor.length, ", the offer says ", expected.length));
  }
  if (descriptor.address == 0) return Lie("address 0");
  if (descriptor.length - 1 > std::numeric_limits<uint64_t>::max() - descriptor.address) {
    return Lie("address + length wraps around");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<size_t> EncodeDescriptor(const Descriptor& descriptor, absl::Span<uint8_t> out) {
  const size_t key_bytes = descriptor.key.size();
  if (key_bytes < kMinKeyBytes || key_bytes > kMaxKeyBytes) {
    return absl::InvalidArgumentError(absl::StrCat("descriptor: a key of ", key_bytes, " bytes"));
  }
  const size_t total = kDescriptorHeaderBytes + key_bytes;
  if (out.size() < total) {
    return absl::InvalidArgumentError(
        absl::StrCat("descriptor: ", total, " bytes do not fit into ", out.size()));
  }
  uint8_t* to = out.data();
  StoreLittle<uint32_t>(to, kMagic);
  to[4] = static_cast<uint8_t>(descriptor.backend);
  to[5] = kVersion;
  StoreLittle<uint16_t>(to + 6, 0);
  StoreLittle<uint64_t>(to + 8, descriptor.generation);
  StoreLittle<uint64_t>(to + 16, descriptor.address);
  StoreLittle<uint64_t>(to + 24, descriptor.length);
  StoreLittle<uint32_t>(to + 32, static_cast<uint32_t>(key_bytes));
  StoreLittle<uint32_t>(to + 36, 0);
  std::memcpy(to + kDescriptorHeaderBytes, descriptor.key.data(), key_bytes);
  return total;
}

absl::StatusOr<Descriptor> DecodeDescriptor(absl::Span<const uint8_t> bytes,
                                            const DescriptorExpectation& expected) {
  if (bytes.size() < kDescriptorHeaderBytes) {
    return Lie(absl::StrCat("cut short: ", bytes.size(), " bytes, the header alone has ",
                            kDescriptorHeaderBytes));
  }
  const uint8_t* in = bytes.data();
  if (absl::Status status = CheckHeader(in, expected); !status.ok()) return status;
  const uint32_t key_bytes = LoadLittle<uint32_t>(in + 32);
  if (key_bytes < kMinKeyBytes || key_bytes > kMaxKeyBytes) {
    return Lie(absl::StrCat("a key of ", key_bytes, " bytes, possible are ", kMinKeyBytes, " to ",
                            kMaxKeyBytes));
  }
  const size_t total = kDescriptorHeaderBytes + key_bytes;
  if (bytes.size() != total) {
    return Lie(absl::StrCat(bytes.size() < total ? "cut short: " : "trailing bytes: ", bytes.size(),
                            " bytes, its key length makes it ", total));
  }
  Descriptor descriptor;
  descriptor.backend = expected.backend;
  descriptor.generation = LoadLittle<uint64_t>(in + 8);
  descriptor.address = LoadLittle<uint64_t>(in + 16);
  descriptor.length = LoadLittle<uint64_t>(in + 24);
  descriptor.key = bytes.subspan(kDescriptorHeaderBytes);
  if (absl::Status status = CheckRange(descriptor, expected); !status.ok()) return status;
  return descriptor;
}

}  // namespace rdmalab
