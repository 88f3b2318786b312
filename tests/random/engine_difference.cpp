#include "tests/random/engine_difference.h"

#include <cmath>

#include "eval/element.h"
#include "support/diagnostic.h"
#include "tests/random/op_bounds.h"

namespace sunmao {
namespace {

struct Compared {
  const std::string& op;
  double scale;  // the largest finite magnitude among inputs and results

  bool are_close(double x, double y, DType dtype) const {
    if (x == y || (std::isnan(x) && std::isnan(y))) return true;
    if (std::isnan(x) || std::isnan(y)) return false;
    const double most = std::min(std::abs(x), std::abs(y)), bound = 2 * allowed(op, dtype, most, scale);
    // If only one of the two results overflows, the other must be close to the largest finite number.
    if (std::isinf(x) || std::isinf(y)) return x * y > 0 && most + bound > largest_of(dtype);
    return std::abs(x - y) <= bound;
  }
};

std::string shape_text(const Array& a) {
  return fmt::format("{} of ({})", a.dtype().str(), fmt::join(a.shape(), ", "));
}

std::string first_difference(const Compared& by, const Array& x, const Array& y) {
  if (x.dtype() != y.dtype() || x.shape() != y.shape())
    return fmt::format("{} evaluated, {} compiled", shape_text(x), shape_text(y));
  if (x == y) return {};
  const bool is_float = x.dtype().is_float();
  for (int64_t i = 0; i < x.count(); ++i) {
    const Number m = load_element(x, i), n = load_element(y, i);
    if (is_float && !by.are_close(m.f, n.f, x.dtype()))
      return fmt::format("element {} of {} is {} evaluated, {} compiled", i, shape_text(x), m.f, n.f);
    if (!is_float && m.i != n.i)
      return fmt::format("element {} of {} is {} evaluated, {} compiled", i, shape_text(x), m.i, n.i);
  }
  return {};
}

double scale_of(const std::vector<Array>& arrays) {
  double out = 0;
  for (const Array& a : arrays)
    for (int64_t i = 0; a.dtype().is_float() && i < a.count(); ++i)
      if (const double n = std::abs(load_element(a, i).f); std::isfinite(n)) out = std::max(out, n);
  return out;
}

}  // namespace

std::string first_difference(const std::string& op, const std::vector<Array>& inputs,
                             const std::vector<Array>& evaluated, const std::vector<Array>& compiled) {
  if (evaluated.size() != compiled.size())
    return fmt::format("{} results evaluated, {} compiled", evaluated.size(), compiled.size());
  const Compared by{op, std::max(scale_of(inputs), scale_of(evaluated))};
  for (size_t i = 0; i < evaluated.size(); ++i)
    if (std::string difference = first_difference(by, evaluated[i], compiled[i]); !difference.empty())
      return fmt::format("result {}: {}", i, difference);
  return {};
}

bool may_not_compile(const std::string& op, const std::string& code) {
  // Compiling gather_nd and scatter_nd requires a constant length of index vectors. The evaluator may succeed, or
  // report disagreeing sizes instead.
  // Bytecode has no shapes whose rank data decides.
  return (code == "E0314" && op == "gather_nd") || (code == "E0309" && op == "scatter_nd") ||
         (code == "E1020" && op == "tensor_to_shape");
}

}  // namespace sunmao
