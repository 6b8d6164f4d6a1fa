#include "engine/base/hex.h"

#include "absl/strings/str_cat.h"

namespace rdmalab {
namespace {

constexpr char kDigits[] = "0123456789abcdef";

// The digit's value, or -1.
int DigitValue(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

}  // namespace

std::string ToHex(absl::Span<const uint8_t> bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (const uint8_t byte : bytes) {
    text.push_back(kDigits[byte >> 4]);
    text.push_back(kDigits[byte & 0xf]);
  }
  return text;
}

absl::StatusOr<std::vector<uint8_t>> FromHex(absl::string_view text) {
  if (text.size() % 2 != 0) {
    return absl::InvalidArgumentError(absl::StrCat("hexadecimal text of odd length ", text.size()));
  }
  std::vector<uint8_t> bytes;
  bytes.reserve(text.size() / 2);
  for (size_t i = 0; i < text.size(); i += 2) {
    const int high = DigitValue(text[i]);
    const int low = DigitValue(text[i + 1]);
    if (high < 0 || low < 0) {
      return absl::InvalidArgumentError(absl::StrCat("not hexadecimal at offset ", i));
    }
    bytes.push_back(static_cast<uint8_t>(high * 16 + low));
  }
  return bytes;
}

}  // namespace rdmalab
