// Algebraic rules for booleans, bitwise ops and `where`. Logical ops return 0 or 1 for operands of other dtypes, so x
// itself cannot be the result there.
#include "ops/algebra/rule.h"

namespace sunmao {
namespace {

bool is_bool(const Expr& e) { return element_dtype(e).is_bool(); }
bool is_bitwise(const RuleInput& in) { return op_of(in.call)->name().starts_with("bitwise"); }
// True when the op returns one operand unchanged if the other one is neutral: bool operands, or integer operands of a
// bitwise op.
bool keeps_operands(const RuleInput& in) { return is_bitwise(in) ? !is_float(in.arg(0)) : is_bool(in.arg(0)); }

Expr not_of_not(const RuleInput& in) {
  const Call* inner = in.call_of(in.arg(0), op_of(in.call)->name());
  return inner && keeps_operands(in) ? inner->args[0] : nullptr;
}
Expr with_itself(const RuleInput& in) {
  return keeps_operands(in) && in.same(in.arg(0), in.arg(1)) ? in.arg(0) : nullptr;
}
Expr xor_with_itself(const RuleInput& in) {
  return keeps_operands(in) && in.same(in.arg(0), in.arg(1)) ? in.filled("zeros") : nullptr;
}

bool is_all_ones(const RuleInput& in, const Expr& e) {
  const auto u = in.uniform(e);
  if (!u || u->dtype.is_float()) return false;
  if (u->dtype.is_bool()) return u->integer == 1;
  if (u->dtype.is_int()) return u->integer == -1;
  return u->dtype.bits < 64 && u->integer == (int64_t{1} << u->dtype.bits) - 1;
}

using Holds = bool (*)(const RuleInput&, const Expr&);
bool is_zero(const RuleInput& in, const Expr& e) { return !is_float(e) && in.is_all(e, 0); }

Expr without(const RuleInput& in, Holds changes_nothing) {
  if (!keeps_operands(in)) return nullptr;
  if (changes_nothing(in, in.arg(1)) && in.has_result_shape(in.arg(0))) return in.arg(0);
  if (changes_nothing(in, in.arg(0)) && in.has_result_shape(in.arg(1))) return in.arg(1);
  return nullptr;
}
Expr and_with_true(const RuleInput& in) { return without(in, is_all_ones); }
Expr or_with_false(const RuleInput& in) { return without(in, is_zero); }
Expr and_with_false(const RuleInput& in) {
  if (!keeps_operands(in)) return nullptr;
  return is_zero(in, in.arg(0)) || is_zero(in, in.arg(1)) ? in.filled("zeros") : nullptr;
}

// With NaN both x < y and x >= y are false, so ordered comparisons are negated for integers alone.
Expr not_of_comparison(const RuleInput& in) {
  struct Opposites {
    const char *op, *opposite;
    bool is_ordered;
  };
  static constexpr Opposites kOpposites[]{{"equal", "not_equal", false},   {"not_equal", "equal", false},
                                          {"less", "greater_equal", true}, {"greater_equal", "less", true},
                                          {"greater", "less_equal", true}, {"less_equal", "greater", true}};
  if (!is_bool(in.arg(0))) return nullptr;
  for (const Opposites& pair : kOpposites) {
    const Call* inner = in.call_of(in.arg(0), pair.op);
    if (!inner) continue;
    const bool are_integers = is_integer(inner->args[0]) && is_integer(inner->args[1]);
    return are_integers || !pair.is_ordered ? in.make(pair.opposite, inner->args) : nullptr;
  }
  return nullptr;
}

Expr where_of_constant(const RuleInput& in) {
  const auto condition = in.uniform(in.arg(0));
  if (!condition || !condition->dtype.is_bool()) return nullptr;
  const Expr& chosen = in.arg(condition->integer ? 1 : 2);
  return in.has_result_shape(chosen) ? chosen : nullptr;
}
Expr where_of_same(const RuleInput& in) {
  return in.same(in.arg(1), in.arg(2)) && in.has_result_shape(in.arg(1)) ? in.arg(1) : nullptr;
}
Expr where_of_not(const RuleInput& in) {
  const Call* inner = in.call_of(in.arg(0), "logical_not");
  if (!inner) inner = in.call_of(in.arg(0), "bitwise_not");
  return inner && is_bool(inner->args[0]) ? in.on({inner->args[0], in.arg(2), in.arg(1)}) : nullptr;
}
Expr fill_of_nothing(const RuleInput& in) {
  return is_bool(in.arg(1)) && in.is_all(in.arg(1), 0) && in.has_result_shape(in.arg(0)) ? in.arg(0) : nullptr;
}

}  // namespace

void add_logic_rules(RuleTable& rules) {
  rules.insert(rules.end(),
               {{"not-of-not", "!!x = x of bools; ~~x = x", {"logical_not", "bitwise_not"}, not_of_not},
                {"not-of-comparison",
                 "!(x == y) = (x != y); of integers !(x < y) = (x >= y)",
                 {"logical_not"},
                 not_of_comparison},
                {"and-with-itself",
                 "x & x = x | x = x; of the logical ops on bools alone",
                 {"logical_and", "logical_or", "bitwise_and", "bitwise_or"},
                 with_itself},
                {"xor-with-itself", "x ^ x = 0", {"logical_xor", "bitwise_xor"}, xor_with_itself},
                {"and-with-true", "x & all bits = x", {"logical_and", "bitwise_and"}, and_with_true},
                {"or-with-false",
                 "x | 0 = x ^ 0 = x",
                 {"logical_or", "logical_xor", "bitwise_or", "bitwise_xor"},
                 or_with_false},
                {"and-with-false", "x & 0 = 0", {"logical_and", "bitwise_and"}, and_with_false},
                {"where-of-constant", "where(True, x, y) = x of the result's shape", {"where"}, where_of_constant},
                {"where-of-same", "where(c, x, x) = x of the result's shape", {"where"}, where_of_same},
                {"where-of-not", "where(!c, x, y) = where(c, y, x)", {"where"}, where_of_not},
                {"fill-of-nothing", "masked_fill(x, False, v) = x", {"masked_fill"}, fill_of_nothing}});
}

}  // namespace sunmao
