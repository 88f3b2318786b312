// The bytes of a shape, checked: sizes come from users and from files. Nothing else multiplies them to allocate.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace sunmao {

/// Dimensions that a tensor may have: as many as programs of the runtime can say.
inline constexpr size_t kMaxRank = 64;

/// The bytes of a tensor. Nothing when a size is below 0, or when the bytes, without regard to sizes of 0, need more
/// than 63 bits.
std::optional<int64_t> shape_bytes(std::span<const int64_t> shape, int64_t element_bytes);

/// Why no tensor has this shape, as the end of a sentence: "a size is below 0". Empty when one may have it.
std::string shape_problem(std::span<const int64_t> shape, int64_t element_bytes);

/// "(2, 3)"; of a shape with too many dimensions their number alone.
std::string shape_text(std::span<const int64_t> shape);

}  // namespace sunmao
