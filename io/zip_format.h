// Record layouts of zip archives (APPNOTE 6.3), shared by the reader and the writer.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "io/status.h"

namespace sunmao::io::zip_format {

inline constexpr uint32_t kLocalSignature = 0x04034b50;
inline constexpr uint32_t kCentralSignature = 0x02014b50;
inline constexpr uint32_t kEndSignature = 0x06054b50;
inline constexpr uint32_t kEnd64Signature = 0x06064b50;
inline constexpr uint32_t kLocator64Signature = 0x07064b50;

// Sizes of the fixed parts of records, in bytes.
inline constexpr size_t kLocalSize = 30;
inline constexpr size_t kCentralSize = 46;
inline constexpr size_t kEndSize = 22;
inline constexpr size_t kEnd64Size = 56;
inline constexpr size_t kLocator64Size = 20;
inline constexpr size_t kLongestComment = 65535;

inline constexpr uint16_t kExtra64 = 0x0001;         // 64-bit sizes and offset
inline constexpr uint16_t kExtraAlignment = 0xd935;  // alignment as u16, then padding; as Android's zipalign does
inline constexpr uint16_t kFlagEncrypted = 0x0001;
inline constexpr uint16_t kFlagUtf8 = 0x0800;
inline constexpr uint16_t kVersion64 = 45;
inline constexpr uint16_t kDate1980 = 0x0021;  // 1 January 1980, the earliest date

// A field with all bits set refers to its value in a 64-bit record.
inline constexpr uint16_t kSee64In16 = 0xffff;
inline constexpr uint32_t kSee64In32 = 0xffffffff;

/// Read little-endian numbers at an offset that the caller has checked.
uint16_t get16(std::span<const std::byte> data, size_t at);
uint32_t get32(std::span<const std::byte> data, size_t at);
uint64_t get64(std::span<const std::byte> data, size_t at);

void put16(std::string& out, uint64_t value);
void put32(std::string& out, uint64_t value);
void put64(std::string& out, uint64_t value);

/// Checks that a name is safe to unpack: relative, at most 65535 bytes, without empty, `.` or `..` components, drive
/// letter, backslash or control characters.
Status check_name(std::string_view name);

}  // namespace sunmao::io::zip_format
