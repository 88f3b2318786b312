#include "compiler/manifest_count.h"

#include <algorithm>
#include <cmath>

namespace sunmao {
namespace {

constexpr int kDeepest = 64;

std::optional<double> count_at(const io::JsonValue& value, SizeLookup size_of, int depth) {
  if (const std::optional<double> number = value.as_double()) return number;
  if (const std::optional<std::string_view> name = value.as_string()) {
    const std::optional<int64_t> size = size_of(*name);
    return size ? std::optional(static_cast<double>(*size)) : std::nullopt;
  }
  const std::string_view op = value[size_t{0}].as_string().value_or("");
  if (value.size() != 3 || depth > kDeepest) return std::nullopt;
  const std::optional<double> a = count_at(value[1], size_of, depth + 1), b = count_at(value[2], size_of, depth + 1);
  if (!a || !b) return std::nullopt;
  if (op == "+") return *a + *b;
  if (op == "-") return *a - *b;
  if (op == "*") return *a * *b;
  if (op == "//") return std::floor(*a / *b);
  if (op == "%") return *a - std::floor(*a / *b) * *b;
  if (op == "min") return std::min(*a, *b);
  if (op == "max") return std::max(*a, *b);
  return std::nullopt;
}

}  // namespace

std::optional<double> count_of(const io::JsonValue& count, SizeLookup size_of) { return count_at(count, size_of, 0); }

}  // namespace sunmao
