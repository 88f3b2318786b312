// Element types: their names, and the byte sizes of tensors.
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

/// True for the types that programs may use: a known code, a width valid for it, one lane.
bool is_supported(abi::ElementType type);

/// Returns "float32", "bool", "int4" …; "type(3, 7, 1)" (code, bits, lanes) for an unnamed type.
std::string to_string(abi::ElementType type);

inline DLDataType to_dlpack(abi::ElementType type) { return {type.code, type.bits, type.lanes}; }
inline abi::ElementType from_dlpack(DLDataType type) { return {type.code, type.bits, type.lanes}; }

/// Decodes a type operand: code | bits << 8 | lanes << 16.
constexpr abi::ElementType unpack_type(uint32_t word) {
  return {static_cast<uint8_t>(word), static_cast<uint8_t>(word >> 8), static_cast<uint16_t>(word >> 16)};
}

/// Returns the alignment in bytes required of a caller's memory of this type: the element size, from 1 to 8.
constexpr uint64_t natural_alignment(abi::ElementType type) {
  const uint64_t bytes = uint64_t{type.bits} / 8;
  return bytes <= 1 ? 1 : bytes >= 8 ? 8 : bytes;
}

/// Returns the bytes of a row-major tensor, whose elements of less than a byte are packed (abi/packed_elements.h);
/// absent when a dimension is negative or the size exceeds 2^62.
std::optional<uint64_t> byte_size(abi::ElementType type, std::span<const int64_t> shape);

/// Returns the bits of the last byte of a tensor that no element uses; `shape` has a `byte_size`.
uint8_t unused_bits(abi::ElementType type, std::span<const int64_t> shape);

/// Returns a shape in messages, such as "(2, 3)".
std::string to_string(std::span<const int64_t> shape);

}  // namespace sunmao::runtime
