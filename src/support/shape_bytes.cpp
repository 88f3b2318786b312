#include "support/shape_bytes.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace sunmao {

namespace {

// Returns the product of `factor` and all dimensions, 0 when one is 0.
std::optional<int64_t> product_of(std::span<const int64_t> shape, int64_t factor) {
  for (int64_t d : shape)
    if (d < 0 || (d != 0 && __builtin_mul_overflow(factor, d, &factor))) return std::nullopt;
  return std::ranges::find(shape, 0) == shape.end() ? factor : 0;
}

}  // namespace

std::optional<int64_t> shape_count(std::span<const int64_t> shape) { return product_of(shape, 1); }

std::optional<int64_t> shape_bytes(std::span<const int64_t> shape, DType dtype) {
  const std::optional<int64_t> bytes = product_of(shape, dtype.bytes());
  return bytes && dtype.is_packed() ? dtype.bytes_of(*shape_count(shape)) : bytes;
}

std::string shape_problem(std::span<const int64_t> shape, DType dtype) {
  if (shape.size() > kMaxRank) return fmt::format("a tensor has {} dimensions at most", kMaxRank);
  if (std::ranges::any_of(shape, [](int64_t d) { return d < 0; })) return "a size is below 0";
  return product_of(shape, std::max<int64_t>(dtype.bytes(), 1)) ? "" : "its bytes do not fit into 63 bits";
}

std::string shape_text(std::span<const int64_t> shape) {
  if (shape.size() > kMaxRank) return fmt::format("of {} dimensions", shape.size());
  return fmt::format("({})", fmt::join(shape, ", "));
}

}  // namespace sunmao
