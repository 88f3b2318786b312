#include "io/crc32.h"

#include <array>
#include <bit>
#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

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

/// Returns the register after `data`; before it, it is `crc`.
uint32_t by_tables(std::span<const std::byte> data, uint32_t crc) {
  static const Tables tables = make_tables();  // 16 KiB that no file has to hold
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
  return crc;
}

#if defined(__x86_64__)

constexpr size_t kFolded = 64;  // bytes that are folded at once

bool has_carryless_products() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_PCLMUL) != 0 && (c & bit_SSE4_1) != 0;
}

__attribute__((target("pclmul,sse4.1"))) inline __m128i load(const std::byte* at) {
  const void* address = at;
  return _mm_loadu_si128(static_cast<const __m128i*>(address));
}

/// Returns what stands for `x` in the sum when it is moved on by the distance that `powers` are for.
__attribute__((target("pclmul,sse4.1"))) inline __m128i moved(__m128i x, __m128i powers) {
  return _mm_xor_si128(_mm_clmulepi64_si128(x, powers, 0x00), _mm_clmulepi64_si128(x, powers, 0x11));
}

/// Does what `by_tables` does for at least 64 bytes. Four registers of 128 bits are multiplied by x^512 modulo the
/// polynomial and added to the next 64 bytes (Gopal et al., "Fast CRC Computation for Generic Polynomials Using
/// PCLMULQDQ", 2009); the tables reduce what is left of them.
__attribute__((target("pclmul,sse4.1"))) uint32_t by_products(std::span<const std::byte> data, uint32_t crc) {
  const __m128i by_64 = _mm_set_epi64x(0x1c6e41596, 0x154442bd4);  // x^(512-32) and x^(512+32), bits reversed
  const __m128i by_16 = _mm_set_epi64x(0x0ccaa009e, 0x1751997d0);  // x^(128-32) and x^(128+32)
  __m128i sums[4];
  for (size_t i = 0; i < 4; ++i) sums[i] = load(data.data() + 16 * i);
  sums[0] = _mm_xor_si128(sums[0], _mm_cvtsi32_si128(static_cast<int>(crc)));
  for (data = data.subspan(kFolded); data.size() >= kFolded; data = data.subspan(kFolded))
    for (size_t i = 0; i < 4; ++i) sums[i] = _mm_xor_si128(moved(sums[i], by_64), load(data.data() + 16 * i));
  for (size_t i = 1; i < 4; ++i) sums[i] = _mm_xor_si128(moved(sums[i - 1], by_16), sums[i]);
  std::array<std::byte, 16> left;
  void* address = left.data();
  _mm_storeu_si128(static_cast<__m128i*>(address), sums[3]);
  return by_tables(data, by_tables(left, 0));
}

#endif

}  // namespace

uint32_t crc32(std::span<const std::byte> data, uint32_t previous, Crc32Options options) {
#if defined(__x86_64__)
  static const bool has_products = has_carryless_products();
  if (options.use_hardware && has_products && data.size() >= kFolded) return ~by_products(data, ~previous);
#else
  static_cast<void>(options);
#endif
  return ~by_tables(data, ~previous);
}

}  // namespace sunmao::io
