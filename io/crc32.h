// CRC-32 as zip uses it (polynomial 0xEDB88320, reflected).
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace sunmao::io {

struct Crc32Options {
  bool use_hardware = true;  // use the processor's carry-less products if present; the checksum is the same
};

/// Returns the checksum of `data`, or of data with checksum `previous` followed by `data`.
uint32_t crc32(std::span<const std::byte> data, uint32_t previous = 0, Crc32Options options = {});

}  // namespace sunmao::io
