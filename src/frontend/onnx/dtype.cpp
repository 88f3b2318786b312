// Converters between dtypes: Cast, CastLike, BitCast; and Identity.
#include <limits>

#include "frontend/onnx/compose.h"
#include "frontend/onnx/tensors.h"
#include "support/small_float.h"

namespace sunmao::onnx {
namespace {

/// Returns `x` as a float of 8 bits: too large numbers become the largest, or, not saturated, infinity or NaN.
Expr cast_to_float8(const NodeContext& n, Expr x, DType to) {
  const bool saturates = n.int_attr("saturate", 1) != 0, is_fn = to.code == TypeCode::Float8E4M3FN;
  if (!dtype_of(x).is_float()) x = converted(n.builder, x, DType::float_(32), n.span);
  const double largest = static_cast<double>(largest_small_float(to));
  if (saturates) x = binary(n, "minimum", binary(n, "maximum", x, -largest), largest);
  if (!saturates && is_fn) {
    constexpr double kLastThatRounds = 464;  // the middle between the largest number and the one that would follow
    const Expr is_beyond = binary(n, "greater", n.call("abs", {x}), kLastThatRounds);
    x = chosen(n, is_beyond, n.constant(dtype_of(x), std::numeric_limits<double>::quiet_NaN()), x);
  }
  return converted(n.builder, x, to, n.span);
}

Results cast_to(const NodeContext& n, DType to) {
  const Expr x = n.tensor(0);
  if (to.is_float() && to.bits == 8 && dtype_of(x) != to) return cast_to_float8(n, x, to);
  return converted(n.builder, x, to, n.span);
}

Results cast(const NodeContext& n) {
  const int64_t type = n.int_attr("to", 0);
  const DType to = dtype_of_element(type);
  if (to.is_void()) throw UnsupportedUse{"to " + name_of_element(type)};
  return cast_to(n, to);
}

Results cast_like(const NodeContext& n) { return cast_to(n, dtype_of(n.tensor(1))); }

Results bit_cast(const NodeContext& n) {
  const int64_t type = n.int_attr("to", 0);
  const DType to = dtype_of_element(type), from = dtype_of(n.tensor(0));
  if (to.is_void()) throw UnsupportedUse{"to " + name_of_element(type)};
  if (to.bits != from.bits) n.fail(fmt::format("{} and {} differ in size", from.str(), to.str()));
  if (to == from) return n.tensor(0);
  return n.call("memory.view", {n.tensor(0), absent(), DTypeLiteral::make(to, n.span)});
}

Results identity(const NodeContext& n) { return n.tensor(0); }

}  // namespace

std::vector<Converter> dtype_converters() {
  return {{"Cast", 6, cast, "`R.astype`; to floats of 8 bits after `R.maximum` and `R.minimum`",
           "neither from nor to text and complex numbers"},
          {"CastLike", 15, cast_like, "`R.astype`"},
          {"BitCast", 26, bit_cast, "`R.memory.view`"},
          {"Identity", 1, identity, "its input"}};
}

}  // namespace sunmao::onnx
