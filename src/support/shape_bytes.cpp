#include "support/shape_bytes.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace sunmao {

std::optional<int64_t> shape_bytes(std::span<const int64_t> shape, int64_t element_bytes) {
  int64_t bytes = element_bytes;
  for (int64_t d : shape)
    if (d < 0 || (d != 0 && __builtin_mul_overflow(bytes, d, &bytes))) return std::nullopt;
  return std::ranges::find(shape, 0) == shape.end() ? bytes : 0;
}

std::string shape_problem(std::span<const int64_t> shape, int64_t element_bytes) {
  if (shape.size() > kMaxRank) return fmt::format("a tensor has {} dimensions at most", kMaxRank);
  if (std::ranges::any_of(shape, [](int64_t d) { return d < 0; })) return "a size is below 0";
  return shape_bytes(shape, element_bytes) ? "" : "its bytes do not fit into 63 bits";
}

std::string shape_text(std::span<const int64_t> shape) {
  if (shape.size() > kMaxRank) return fmt::format("of {} dimensions", shape.size());
  return fmt::format("({})", fmt::join(shape, ", "));
}

}  // namespace sunmao
