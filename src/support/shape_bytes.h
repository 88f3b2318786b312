// Overflow-checked size of a shape in bytes. Sizes from users and files must be multiplied here before allocation.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace sunmao {

/// Maximum rank of a tensor, a limit of the runtime's programs.
inline constexpr size_t kMaxRank = 64;

/// Returns the size of a tensor in bytes. Nullopt when a dimension is negative, or when the product of all nonzero
/// dimensions and `element_bytes` exceeds 63 bits.
std::optional<int64_t> shape_bytes(std::span<const int64_t> shape, int64_t element_bytes);

/// Returns why a shape is invalid, as the end of a sentence ("a size is below 0"); empty when it is valid.
std::string shape_problem(std::span<const int64_t> shape, int64_t element_bytes);

/// Returns text such as "(2, 3)"; for a shape with too many dimensions, only their number.
std::string shape_text(std::span<const int64_t> shape);

}  // namespace sunmao
