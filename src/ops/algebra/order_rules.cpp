// Algebraic rules for maximum, minimum, ReLU, clip, sign and rounding to integers. Maximum and minimum propagate NaN.
// Which of -0 and 0 they return is unspecified, so the rule for two clips does not apply to a bound of -0.
#include <algorithm>
#include <cmath>
#include <limits>

#include "loop/builder.h"
#include "ops/algebra/rule.h"

namespace sunmao {
namespace {

Expr extreme_of_itself(const RuleInput& in) { return in.same(in.arg(0), in.arg(1)) ? in.arg(0) : nullptr; }

// Drops an operand that is never selected: -infinity of a maximum, +infinity of a minimum.
Expr extreme_with_infinity(const RuleInput& in) {
  const bool is_max = op_of(in.call)->name() == "maximum";
  const double infinity = std::numeric_limits<double>::infinity(), neutral = is_max ? -infinity : infinity;
  if (in.is_all(in.arg(1), neutral) && in.has_result_shape(in.arg(0))) return in.arg(0);
  if (in.is_all(in.arg(0), neutral) && in.has_result_shape(in.arg(1))) return in.arg(1);
  return nullptr;
}

Expr relu_of_relu(const RuleInput& in) {
  if (op_of(in.call)->name() == "nn.relu")
    return in.call_of(in.arg(0), "nn.relu") || in.call_of(in.arg(0), "nn.relu6") ? in.arg(0) : nullptr;
  if (in.call_of(in.arg(0), "nn.relu6")) return in.arg(0);
  const Call* inner = in.call_of(in.arg(0), "nn.relu");
  return inner ? in.on({inner->args[0]}) : nullptr;
}

struct Bounds {
  double low, high;
};

// Returns the bounds of a clip when they are constants, low <= high, neither is -0 or NaN, and for an integer dtype
// both are integers in [-128, 127], or in [0, 127] if it is unsigned.
std::optional<Bounds> bounds_of(const RuleInput& in, const Call& clip) {
  double values[2];
  const DType dtype = element_dtype(clip.args[0]);
  for (size_t i = 0; i < 2; ++i) {
    const auto u = in.uniform(clip.args[i + 1]);
    if (!u) return std::nullopt;
    values[i] = u->dtype.is_float() ? u->real : static_cast<double>(u->integer);
    if (std::isnan(values[i]) || (values[i] == 0 && std::signbit(values[i]))) return std::nullopt;
    if (dtype.is_float()) continue;
    // Only bounds that every integer dtype of this signedness represents: [-128, 127], or [0, 127] for unsigned ones.
    const double least = dtype.is_uint() ? 0 : -128;
    if (values[i] != std::floor(values[i]) || values[i] < least || values[i] > 127) return std::nullopt;
  }
  if (dtype.is_void() || dtype.is_bool() || values[0] > values[1]) return std::nullopt;
  return Bounds{values[0], values[1]};
}

Expr bound(DType dtype, double value) { return PrimValue::make(constant(dtype, value)); }

Expr clip_of_clip(const RuleInput& in) {
  const Call* inner = in.call_of(in.arg(0), "clip");
  if (!inner) return nullptr;
  const auto outer_bounds = bounds_of(in, in.call), inner_bounds = bounds_of(in, *inner);
  if (!outer_bounds || !inner_bounds) return nullptr;
  auto clipped = [&](double v) { return std::min(std::max(v, outer_bounds->low), outer_bounds->high); };
  const double low = clipped(inner_bounds->low), high = clipped(inner_bounds->high);
  const DType dtype = element_dtype(in.arg(1));
  return in.on({inner->args[0], bound(dtype, low), bound(dtype, high)});
}

constexpr std::string_view kRoundings[]{"ceil", "floor", "round", "trunc"};
Expr rounding_of_whole(const RuleInput& in) {
  return is_integer(in.arg(0)) || in.call_of_any(in.arg(0), kRoundings) ? in.arg(0) : nullptr;
}
Expr sign_of_sign(const RuleInput& in) { return in.call_of(in.arg(0), "sign") ? in.arg(0) : nullptr; }

}  // namespace

void add_order_rules(RuleTable& rules) {
  rules.insert(rules.end(),
               {{"extreme-of-itself", "max(x, x) = min(x, x) = x", {"maximum", "minimum"}, extreme_of_itself},
                {"extreme-with-infinity",
                 "max(x, -infinity) = min(x, infinity) = x",
                 {"maximum", "minimum"},
                 extreme_with_infinity},
                {"relu-of-relu",
                 "relu(relu(x)) = relu(x), relu(relu6(x)) = relu6(x) = relu6(relu(x))",
                 {"nn.relu", "nn.relu6"},
                 relu_of_relu},
                {"clip-of-clip", "two clips by numbers in their order are one", {"clip"}, clip_of_clip},
                {"rounding-of-whole",
                 "floor(x) = x of integers and of what is rounded; ceil, round and trunc too",
                 {"ceil", "floor", "round", "trunc"},
                 rounding_of_whole},
                {"sign-of-sign", "sign(sign(x)) = sign(x)", {"sign"}, sign_of_sign}});
}

}  // namespace sunmao
