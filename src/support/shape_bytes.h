// Overflow-checked size of a shape in bytes. Sizes from users and files must be multiplied here before allocation.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "support/dtype.h"

namespace sunmao {

/// Maximum rank of a tensor, a limit of the runtime's programs.
inline constexpr size_t kMaxRank = 64;

/// Returns the number of elements of a tensor. Nullopt when a dimension is negative, or when the product of all nonzero
/// dimensions exceeds 63 bits.
std::optional<int64_t> shape_count(std::span<const int64_t> shape);

/// Returns the size of a tensor in bytes. Nullopt when a dimension is negative, or when the product of all nonzero
/// dimensions and the bytes of one element exceeds 63 bits.
std::optional<int64_t> shape_bytes(std::span<const int64_t> shape, DType dtype);

/// Returns why a tensor cannot have the shape, as the end of a sentence ("a size is below 0"); empty when it can.
std::string shape_problem(std::span<const int64_t> shape, DType dtype);

/// Returns text such as "(2, 3)"; for a shape with too many dimensions, only their number.
std::string shape_text(std::span<const int64_t> shape);

}  // namespace sunmao
