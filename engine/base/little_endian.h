// Fixed-width integers in wire records: little-endian, unaligned. Used by frames and descriptors.
#ifndef RDMALAB_ENGINE_BASE_LITTLE_ENDIAN_H_
#define RDMALAB_ENGINE_BASE_LITTLE_ENDIAN_H_

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace rdmalab {

// x86-64 and little-endian aarch64 are what the engine is built for; a wire record is then memory.
static_assert(std::endian::native == std::endian::little);

template <typename T>
T LoadLittle(const uint8_t* from) {
  static_assert(std::is_integral_v<T>);
  T value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}

template <typename T>
void StoreLittle(uint8_t* to, std::type_identity_t<T> value) {
  static_assert(std::is_integral_v<T>);
  std::memcpy(to, &value, sizeof(value));
}

}  // namespace rdmalab

#endif  // RDMALAB_ENGINE_BASE_LITTLE_ENDIAN_H_
