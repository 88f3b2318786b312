#include "passes/validation/value_difference.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "eval/compare.h"
#include "eval/element.h"

namespace sunmao {
namespace {

double float_at(const Array& a, int64_t i) { return load_element(a, i).f; }

std::string place_in(const Array& a, int64_t index) {
  std::vector<int64_t> at(a.shape().size());
  for (size_t axis = at.size(); axis-- > 0; index /= a.shape()[axis]) at[axis] = index % a.shape()[axis];
  return at.empty() ? "" : fmt::format(", element [{}]", fmt::join(at, ", "));
}

std::string element_text(const Array& a, int64_t i) {
  const Number n = load_element(a, i);
  if (a.dtype().is_bool()) return n.i != 0 ? "True" : "False";
  if (!a.dtype().is_float()) return fmt::format("{}", n.i);
  return a.dtype().bits == 64 ? fmt::format("{}", n.f) : fmt::format("{}", static_cast<float>(n.f));
}

std::optional<std::string> array_difference(const Array& before, const Array& after, Effect effect,
                                            const std::string& where, DType precision) {
  const Tolerance allowed = tolerance_for(before, precision.is_void() ? before.dtype() : precision);
  const Comparison c = compare(before, after, effect == Effect::Exact ? Tolerance() : allowed);
  if (!c.mismatch.empty()) return fmt::format("{}: {} before, {} after", where, describe(before), describe(after));
  if (effect == Effect::Changes || c.is_equal()) return std::nullopt;
  std::string text = fmt::format("{}{}: {} before, {} after", where, place_in(before, c.first),
                                 element_text(before, c.first), element_text(after, c.first));
  if (c.differing > 1) text += fmt::format("; {} of {} elements differ", c.differing, c.count);
  return text;
}

std::optional<std::string> difference_at(const Value& before, const Value& after, Effect effect,
                                         const std::string& where, DType precision) {
  if (before.array() && after.array())
    return array_difference(*before.array(), *after.array(), effect, where, precision);
  const ValueTuple *a = before.tuple(), *b = after.tuple();
  if (a && b && a->size() == b->size()) {
    for (size_t i = 0; i < a->size(); ++i)
      if (auto d = difference_at((*a)[i], (*b)[i], effect, fmt::format("{}, field {}", where, i), precision)) return d;
    return std::nullopt;
  }
  if (before.v.index() != after.v.index() || a)
    return fmt::format("{}: {} before, {} after", where, describe(before), describe(after));
  const bool is_number = std::holds_alternative<int64_t>(before.v) || before.shape();
  const auto *x = std::get_if<double>(&before.v), *y = std::get_if<double>(&after.v);
  const bool differs = is_number ? text_of(before) != text_of(after)
                                 : x && !(std::abs(*x - *y) <= tolerance_of(DType::float_(32)).relative * std::abs(*x));
  if (effect == Effect::Changes || !differs) return std::nullopt;
  return fmt::format("{}: {} before, {} after", where, text_of(before), text_of(after));
}

}  // namespace

Tolerance tolerance_for(const Array& expected, DType precision) {
  if (!expected.dtype().is_float()) return {};
  double scale = 1;
  for (int64_t i = 0; i < expected.count(); ++i)
    if (const double x = std::abs(float_at(expected, i)); std::isfinite(x)) scale = std::max(scale, x);
  Tolerance t = tolerance_of(precision);
  t.absolute *= scale;
  return t;
}

std::optional<std::string> find_difference(const Value& before, const Value& after, Effect effect,
                                           const std::vector<DType>& precisions) {
  const auto precision = [&](size_t i) { return i < precisions.size() ? precisions[i] : DType(); };
  const ValueTuple *a = before.tuple(), *b = after.tuple();
  if (!a || !b || a->size() != b->size()) return difference_at(before, after, effect, "result", precision(0));
  for (size_t i = 0; i < a->size(); ++i)
    if (auto d = difference_at((*a)[i], (*b)[i], effect, fmt::format("result {}", i), precision(i))) return d;
  return std::nullopt;
}

double largest_distance(const Value& before, const Value& after) {
  if (before.array() && after.array()) return compare(*before.array(), *after.array(), {}).largest;
  const ValueTuple *a = before.tuple(), *b = after.tuple();
  double largest = 0;
  for (size_t i = 0; a && b && i < std::min(a->size(), b->size()); ++i)
    largest = std::max(largest, largest_distance((*a)[i], (*b)[i]));
  return largest;
}

bool is_finite(const Value& value) {
  if (const ValueTuple* fields = value.tuple()) return std::ranges::all_of(*fields, is_finite);
  const Array* a = value.array();
  if (!a || !a->dtype().is_float()) return true;
  for (int64_t i = 0; i < a->count(); ++i)
    if (!std::isfinite(float_at(*a, i))) return false;
  return true;
}

}  // namespace sunmao
