#include "passes/algebra/clamp.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/algebra/rule.h"

namespace sunmao {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::optional<double> number_of(const Expr& e) {
  if (const auto* prim = find<PrimValue>(e)) {
    if (const int64_t* n = find_int(prim->value)) return static_cast<double>(*n);
    const auto* real = find<FloatImm>(prim->value);
    return real ? std::optional(real->value) : std::nullopt;
  }
  const std::optional<UniformValue> value = uniform_of(e);
  return value && value->dtype.is_float() ? std::optional(value->real) : std::nullopt;
}

}  // namespace

Clamp Clamp::after(const Clamp& inner) const {
  return {inner.operand, std::clamp(inner.low, low, high), std::clamp(inner.high, low, high)};
}

Clamp unclamped(const Expr& value) { return {value, -kInfinity, kInfinity}; }

std::optional<Clamp> read_clamp(const Call& call) {
  const Op* op = op_of(call);
  if (!op) return std::nullopt;
  if (op->name() == "nn.relu") return Clamp{call.args[0], 0, kInfinity};
  const bool is_low = op->name() == "maximum", is_high = op->name() == "minimum";
  if (is_low || is_high) {
    const bool is_first = number_of(call.args[0]).has_value();
    const std::optional<double> bound = number_of(call.args[is_first ? 0 : 1]);
    if (!bound || std::isnan(*bound)) return std::nullopt;
    return Clamp{call.args[is_first ? 1 : 0], is_low ? *bound : -kInfinity, is_high ? *bound : kInfinity};
  }
  if (op->name() != "clip") return std::nullopt;
  const std::optional<double> low = number_of(call.args[1]), high = number_of(call.args[2]);
  if (!low || !high || !(*low <= *high)) return std::nullopt;
  return Clamp{call.args[0], *low, *high};
}

}  // namespace sunmao
