#include "tests/random/engine_difference.h"

#include <cmath>
#include <map>
#include <set>

#include "eval/element.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

// In spacings of the result's dtype at the value, or at 1 below it.
constexpr double kBound = 16;
// More where the condition of a matrix, drawn as it comes, makes rounding large.
const std::map<std::string, double> kBounds{
    {"linalg.inverse", 65536}, {"linalg.solve", 65536}, {"linalg.det", 1024}, {"linalg.triangular_solve", 65536}};

// Integers that are cut from floats: how these round decides which one it is.
const std::set<std::string> kCutFromFloats{"image.resize2d", "image.resize3d"};

// Of 1, and the largest number.
struct Format {
  double spacing, largest;
};
Format format_of(DType dtype) {
  if (dtype.code == TypeCode::BFloat) return {0x1p-7, 3.38e38};
  if (dtype.code == TypeCode::Float8E4M3FN) return {0x1p-3, 448};
  if (dtype.code == TypeCode::Float8E5M2) return {0x1p-2, 57344};
  if (dtype.bits == 16) return {0x1p-10, 65504};
  if (dtype.bits == 32) return {0x1p-23, 3.4e38};
  return {0x1p-52, 1.79e308};
}

bool are_close(double x, double y, const Format& format, double bound) {
  if (x == y || (std::isnan(x) && std::isnan(y))) return true;
  // What overflows on the way is infinite or not.
  if (std::isinf(x) || std::isinf(y)) return std::max(std::min(std::abs(x), std::abs(y)), 0.0) > format.largest / 2;
  if (std::isnan(x) || std::isnan(y)) return false;
  const double scale = std::exp2(std::floor(std::log2(std::max(1.0, std::abs(x)))));
  return std::abs(x - y) <= bound * format.spacing * scale;
}

std::string shape_text(const Array& a) {
  return fmt::format("{} of ({})", a.dtype().str(), fmt::join(a.shape(), ", "));
}

std::string first_difference(const std::string& op, const Array& x, const Array& y) {
  if (x.dtype() != y.dtype() || x.shape() != y.shape())
    return fmt::format("{} evaluated, {} compiled", shape_text(x), shape_text(y));
  if (x == y) return {};
  const bool is_float = x.dtype().is_float();
  const auto known = kBounds.find(op);
  const double bound = known == kBounds.end() ? kBound : known->second;
  for (int64_t i = 0; i < x.count(); ++i) {
    const int64_t at = i * x.element_bytes();
    const Number m = load_element(x.dtype(), x.data() + at), n = load_element(y.dtype(), y.data() + at);
    if (is_float && !are_close(m.f, n.f, format_of(x.dtype()), bound))
      return fmt::format("element {} of {} is {} evaluated, {} compiled", i, shape_text(x), m.f, n.f);
    if (!is_float && std::abs(m.i - n.i) > (kCutFromFloats.contains(op) ? 1 : 0))
      return fmt::format("element {} of {} is {} evaluated, {} compiled", i, shape_text(x), m.i, n.i);
  }
  return {};
}

void collect(const Value& value, std::vector<Array>& out) {
  if (const ValueTuple* tuple = value.tuple()) {
    for (const Value& field : *tuple) collect(field, out);
    return;
  }
  if (const Array* array = value.array()) return out.push_back(*array);
  const auto* number = std::get_if<int64_t>(&value.v);
  const ShapeValue* shape = value.shape();
  SUNMAO_CHECK(number || shape, "a result is {}", describe(value));
  const ShapeValue numbers = shape ? *shape : ShapeValue{*number};
  out.push_back(Array::from_ints({std::ssize(numbers)}, numbers));
}

// Results as large as data says, and shapes that only a run knows: what is computed of them has no known shape.
const std::set<std::string> kSizedByData{"dynamic_strided_slice", "gather_nd", "nonzero", "unique"};

}  // namespace

std::vector<Array> arrays_of(const Value& value) {
  std::vector<Array> out;
  collect(value, out);
  return out;
}

std::string first_difference(const std::string& op, const std::vector<Array>& evaluated,
                             const std::vector<Array>& compiled) {
  if (evaluated.size() != compiled.size())
    return fmt::format("{} results evaluated, {} compiled", evaluated.size(), compiled.size());
  for (size_t i = 0; i < evaluated.size(); ++i)
    if (std::string difference = first_difference(op, evaluated[i], compiled[i]); !difference.empty())
      return fmt::format("result {}: {}", i, difference);
  return {};
}

bool may_not_compile(const std::string& op, const std::string& code) {
  return (code == "E0314" && kSizedByData.contains(op)) || (code == "E0309" && op == "scatter_nd");
}

}  // namespace sunmao
