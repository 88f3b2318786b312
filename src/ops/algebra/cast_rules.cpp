// Algebraic rules for `astype`: a conversion that is exact for all values can be skipped.
#include "ops/algebra/rule.h"

namespace sunmao {
namespace {

// The widths in bits of a float's significand (with the implicit bit) and exponent; absent for floats of 8 bits and
// fewer.
struct FloatRange {
  int mantissa, exponent;
};
std::optional<FloatRange> range_of(DType t) {
  if (t == DType::float_(64)) return FloatRange{53, 11};
  if (t == DType::float_(32)) return FloatRange{24, 8};
  if (t == DType::float_(16)) return FloatRange{11, 5};
  if (t.code == TypeCode::BFloat && t.bits == 16) return FloatRange{8, 8};
  return std::nullopt;
}

// True only when `to` represents every value of `from` exactly; a conservative test, false for integers in float16.
bool holds_all(DType to, DType from) {
  if (from.is_vector() || to.is_vector()) return false;
  if (to == from) return true;
  if (to.is_bool()) return false;
  const auto float_to = range_of(to), float_from = range_of(from);
  if (from.is_bool()) return to.is_int() || to.is_uint() || float_to;
  if (from.is_float())
    return float_from && float_to && float_from->mantissa <= float_to->mantissa &&
           float_from->exponent <= float_to->exponent;
  const int bits = from.bits - (from.is_int() ? 1 : 0);
  if (to.is_float()) return float_to && bits <= float_to->mantissa && float_to->exponent >= 8;
  if (to.is_uint()) return from.is_uint() && from.bits <= to.bits;
  return to.is_int() && bits <= to.bits - 1;
}

Expr cast_to_own(const RuleInput& in) {
  const DType from = element_dtype(in.arg(0)), *to = in.call.attrs.find<DType>("dtype");
  return to && from == *to ? in.arg(0) : nullptr;
}

// A float outside the range of an integer dtype converts to an unspecified integer, which may differ when an
// intermediate dtype is skipped.
Expr cast_of_exact_cast(const RuleInput& in) {
  const Call* inner = in.call_of(in.arg(0), "astype");
  const DType* to = in.call.attrs.find<DType>("dtype");
  if (!inner || !to) return nullptr;
  const DType from = element_dtype(inner->args[0]), between = element_dtype(in.arg(0));
  if (from.is_void() || !holds_all(between, from)) return nullptr;
  if (*to == from) return inner->args[0];
  const bool may_overflow = between.is_float() && !to->is_float() && !to->is_bool();
  if (may_overflow && (from.is_float() || !holds_all(*to, from))) return nullptr;
  return in.on({inner->args[0]});
}

}  // namespace

void add_cast_rules(RuleTable& rules) {
  rules.insert(rules.end(), {{"cast-to-own", "a conversion to the dtype at hand is none", {"astype"}, cast_to_own},
                             {"cast-of-exact-cast",
                              "what is converted without loss and then again is converted once",
                              {"astype"},
                              cast_of_exact_cast}});
}

}  // namespace sunmao
