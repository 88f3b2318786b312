// Constants and checks shared by the safetensors reader and writer.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "abi/bytecode.h"

namespace sunmao::io::safetensors_format {

inline constexpr size_t kLengthSize = 8;               // the header's length, little endian
inline constexpr uint64_t kLongestHeader = 100000000;  // bytes; the bound of the format's own reader
inline constexpr uint64_t kAlignment = 64;             // of tensor data in written files
inline constexpr std::string_view kMetadataKey = "__metadata__";
inline constexpr std::string_view kPadPrefix = "__pad.";

std::optional<abi::ElementType> find_type(std::string_view dtype);

/// Returns the bytes of a tensor; absent when a dimension is negative, when the product exceeds 63 bits, and when
/// packed elements do not fill whole bytes.
std::optional<uint64_t> tensor_size(abi::ElementType type, std::span<const int64_t> shape);

}  // namespace sunmao::io::safetensors_format
