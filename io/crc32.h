// CRC-32 as zip uses it (polynomial 0xEDB88320, reflected).
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace sunmao::io {

/// The checksum of `data`, or of what `previous` stands for followed by `data`.
uint32_t crc32(std::span<const std::byte> data, uint32_t previous = 0);

}  // namespace sunmao::io
