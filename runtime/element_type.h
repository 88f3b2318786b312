// Element types by name, and how many bytes tensors of them take.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "abi/bytecode.h"
#include "sunmao/dlpack.h"

namespace sunmao::runtime {

constexpr bool same_type(abi::ElementType a, abi::ElementType b) {
  return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes;
}

/// True for the types that programs may use: known code, a width that this code has, one lane.
bool is_supported(abi::ElementType type);

/// "float32", "bool", "int4"; "type(3, 7, 1)" (code, bits, lanes) for what has no name.
std::string to_string(abi::ElementType type);

inline DLDataType to_dlpack(abi::ElementType type) { return {type.code, type.bits, type.lanes}; }
inline abi::ElementType from_dlpack(DLDataType type) { return {type.code, type.bits, type.lanes}; }

/// In an instruction word: code | bits << 8 | lanes << 16.
constexpr abi::ElementType unpack_type(uint32_t word) {
  return {static_cast<uint8_t>(word), static_cast<uint8_t>(word >> 8), static_cast<uint16_t>(word >> 16)};
}

/// What memory of this type must be aligned to when it comes from a caller, in bytes.
constexpr uint64_t natural_alignment(abi::ElementType type) {
  const uint64_t bytes = uint64_t{type.bits} / 8;
  return bytes <= 1 ? 1 : bytes >= 8 ? 8 : bytes;
}

/// Bytes of a tensor in C order (an element of less than 8 bits takes a byte); nothing when a dimension is negative or
/// the size does not fit 2^62.
std::optional<uint64_t> byte_size(abi::ElementType type, std::span<const int64_t> shape);

/// "(2, 3)"
std::string to_string(std::span<const int64_t> shape);

}  // namespace sunmao::runtime
