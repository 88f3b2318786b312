// The layout of elements of less than a byte (int4, uint2, float4_e2m1fn, float6_e3m2fn …), shared by compiler, runtime
// and files: they are packed. Element i of b bits occupies bits [i * b, (i + 1) * b) of a tensor's bytes, where bit k
// of byte j is bit 8 * j + k. Unused bits of the last byte are 0. Elements of whole bytes, bool among them, follow the
// same arithmetic.
#pragma once
#include <cstddef>
#include <cstdint>

namespace sunmao::abi {

/// True when elements share bytes, so that an element has no address.
constexpr bool is_packed(uint64_t bits) { return bits % 8 != 0; }

/// Returns the bytes of `count` elements of `bits` bits each: ceil(count * bits / 8).
constexpr uint64_t bytes_of_elements(uint64_t bits, uint64_t count) {
  return count / 8 * bits + (count % 8 * bits + 7) / 8;
}

/// Returns the bits of the last byte that no element uses.
constexpr uint8_t unused_bits(uint64_t bits, uint64_t count) {
  const uint64_t used = count % 8 * bits % 8;
  return used == 0 ? uint8_t{0} : static_cast<uint8_t>(0xff << used);
}

/// Clears the unused bits of the last byte of `count` elements.
inline void clear_unused_bits(std::byte* data, uint64_t bits, uint64_t count) {
  const uint8_t unused = unused_bits(bits, count);
  if (unused != 0) data[bytes_of_elements(bits, count) - 1] &= static_cast<std::byte>(~unused);
}

/// Returns element `index`, of `bits` <= 8 bits, in the low bits of a byte.
inline uint8_t load_bits(const std::byte* data, unsigned bits, uint64_t index) {
  const uint64_t first = index * bits, last = first + bits - 1;
  const auto low = std::to_integer<unsigned>(data[first / 8]), high = std::to_integer<unsigned>(data[last / 8]);
  return static_cast<uint8_t>((low | high << 8) >> first % 8 & ((1u << bits) - 1));
}

/// Sets element `index`, of `bits` <= 8 bits, to the low bits of `value`; other elements stay. The bytes are read and
/// written back, so that elements that share a byte must not be stored by two threads at once.
inline void store_bits(std::byte* data, unsigned bits, uint64_t index, uint8_t value) {
  const uint64_t first = index * bits, last = first + bits - 1;
  const unsigned mask = (1u << bits) - 1;
  const unsigned place = mask << first % 8, placed = (value & mask) << first % 8;
  const auto put = [data](uint64_t at, unsigned cleared, unsigned set) {
    data[at] = static_cast<std::byte>((std::to_integer<unsigned>(data[at]) & ~cleared) | set);
  };
  put(first / 8, place & 0xff, placed & 0xff);
  if (last / 8 != first / 8) put(last / 8, place >> 8, placed >> 8);
}

}  // namespace sunmao::abi
