#include "io/crc32.h"

#include <array>
#include <bit>
#include <cstring>

namespace sunmao::io {

namespace {

// table[k][b]: the remainder of byte b followed by k zero bytes. Sixteen bytes are processed by independent look-ups.
constexpr size_t kStep = 16;
using Tables = std::array<std::array<uint32_t, 256>, kStep>;

Tables make_tables() {
  Tables tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t remainder = byte;
    for (int bit = 0; bit < 8; ++bit) remainder = (remainder >> 1) ^ ((remainder & 1) != 0 ? 0xEDB88320u : 0u);
    tables[0][byte] = remainder;
  }
  for (uint32_t byte = 0; byte < 256; ++byte) {
    for (size_t k = 1; k < kStep; ++k) {
      const uint32_t shorter = tables[k - 1][byte];
      tables[k][byte] = (shorter >> 8) ^ tables[0][shorter & 0xff];
    }
  }
  return tables;
}

}  // namespace

uint32_t crc32(std::span<const std::byte> data, uint32_t previous) {
  static const Tables tables = make_tables();  // 16 KiB that no file has to hold
  uint32_t crc = ~previous;
  if constexpr (std::endian::native == std::endian::little) {
    for (; data.size() >= kStep; data = data.subspan(kStep)) {
      uint64_t low, high;
      memcpy(&low, data.data(), 8);
      memcpy(&high, data.data() + 8, 8);
      low ^= crc;
      crc = 0;
      for (size_t k = 0; k < 8; ++k) {
        crc ^= tables[15 - k][(low >> (8 * k)) & 0xff] ^ tables[7 - k][(high >> (8 * k)) & 0xff];
      }
    }
  }
  for (const std::byte byte : data) crc = (crc >> 8) ^ tables[0][(crc ^ static_cast<uint32_t>(byte)) & 0xff];
  return ~crc;
}

}  // namespace sunmao::io
