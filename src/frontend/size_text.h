// Sizes as exporters write them: integer arithmetic in Python's syntax, such as `2*s65` or `Max(1, batch - 1)`.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "sym/scalar.h"

namespace sunmao {

/// What names in such a text stand for. A function returns null for what it does not know.
struct SizeNames {
  std::function<Scalar(const std::string&)> symbol;
  /// The size of an argument along an axis, which is written as `L['x'].size()[1]`; may be empty.
  std::function<Scalar(const std::string& place, int64_t axis)> argument = {};
  bool slash_rounds_down = false;  // `/` divides as `//` does; else no size has it
};

struct SizeComparison {
  std::string_view op;
  Scalar left, right;
};

/// Parses a size; null for a text that is none, or that has names that are not
/// known.
Scalar parse_size_term(std::string_view text, const SizeNames& names);

/// Parses a comparison of two sizes.
std::optional<SizeComparison> parse_comparison(std::string_view text, const SizeNames& names);

}  // namespace sunmao
