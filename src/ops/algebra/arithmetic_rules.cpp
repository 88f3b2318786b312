// Algebraic rules for sums, products and signs. Integers wrap around, so every ring identity holds for them. For floats
// only identities are listed that neither rounding nor -0 breaks: x + 0 turns -0 into 0, and x * 0 keeps NaN.
#include <bit>
#include <cstring>

#include "ops/algebra/rule.h"

namespace sunmao {
namespace {

constexpr std::string_view kNegative = "negative";

// Returns the other operand when every element of one operand equals `neutral` and the shape is that of the result. The
// left operand is checked only with `either_side` (commutative ops).
Expr without_neutral(const RuleInput& in, double neutral, bool either_side) {
  if (in.is_all(in.arg(1), neutral) && in.has_result_shape(in.arg(0))) return in.arg(0);
  if (either_side && in.is_all(in.arg(0), neutral) && in.has_result_shape(in.arg(1))) return in.arg(1);
  return nullptr;
}

Expr multiply_by_one(const RuleInput& in) { return without_neutral(in, 1, true); }
Expr divide_by_one(const RuleInput& in) {
  // For floats x // 1 rounds down, which is not the identity.
  if (op_of(in.call)->name() == "floor_divide" && !is_integer(in.arg(0))) return nullptr;
  return without_neutral(in, 1, false);
}
Expr add_zero(const RuleInput& in) { return without_neutral(in, is_float(in.arg(1)) ? -0.0 : 0.0, true); }
Expr subtract_zero(const RuleInput& in) { return without_neutral(in, 0, false); }
Expr shift_by_zero(const RuleInput& in) { return without_neutral(in, 0, false); }
Expr power_of_one(const RuleInput& in) { return without_neutral(in, 1, false); }

Expr multiply_by_zero(const RuleInput& in) {
  if (!is_integer(in.arg(0)) || !is_integer(in.arg(1))) return nullptr;
  return in.is_all(in.arg(0), 0) || in.is_all(in.arg(1), 0) ? in.filled("zeros") : nullptr;
}
Expr subtract_itself(const RuleInput& in) {
  return is_integer(in.arg(0)) && in.same(in.arg(0), in.arg(1)) ? in.filled("zeros") : nullptr;
}

Expr add_negative(const RuleInput& in) {
  if (const Call* y = in.call_of(in.arg(1), kNegative)) return in.make("subtract", {in.arg(0), y->args[0]});
  if (const Call* x = in.call_of(in.arg(0), kNegative)) return in.make("subtract", {in.arg(1), x->args[0]});
  return nullptr;
}
Expr subtract_negative(const RuleInput& in) {
  const Call* y = in.call_of(in.arg(1), kNegative);
  return y ? in.make("add", {in.arg(0), y->args[0]}) : nullptr;
}
Expr negative_of_negative(const RuleInput& in) {
  const Call* inner = in.call_of(in.arg(0), kNegative);
  return inner ? inner->args[0] : nullptr;
}
Expr negative_of_difference(const RuleInput& in) {
  const Call* inner = in.call_of(in.arg(0), "subtract");
  return inner && is_integer(in.arg(0)) ? in.make("subtract", {inner->args[1], inner->args[0]}) : nullptr;
}

Expr abs_of_abs(const RuleInput& in) {
  const bool is_positive = element_dtype(in.arg(0)).is_uint() || in.call_of(in.arg(0), "abs") ||
                           (is_float(in.arg(0)) && in.call_of(in.arg(0), "square"));
  return is_positive ? in.arg(0) : nullptr;
}
Expr even_of_negative(const RuleInput& in) {
  const Call* inner = in.call_of(in.arg(0), kNegative);
  // For unsigned integers -x wraps around, so that |-x| differs from |x|.
  if (!inner || (element_dtype(in.arg(0)).is_uint() && op_of(in.call)->name() == "abs")) return nullptr;
  return in.on({inner->args[0]});
}
Expr square_of_abs(const RuleInput& in) {
  const Call* inner = in.call_of(in.arg(0), "abs");
  return inner ? in.on({inner->args[0]}) : nullptr;
}

// Reassociates (x + a) + b to x + (a + b), and products likewise, where a and b are known integers of rank 0.
Expr join_numbers(const RuleInput& in) {
  const std::string& op = op_of(in.call)->name();
  const Call* inner = in.call_of(in.arg(0), op);
  auto number = [&](const Expr& e) {
    const bool is_whole = element_dtype(e).bits >= 8 && is_integer(e) && tensor_type(e) && tensor_type(e)->rank == 0;
    return is_whole ? in.uniform(e) : std::nullopt;
  };
  if (!inner || !number(in.arg(1)) || !number(inner->args[1])) return nullptr;
  const auto a = std::bit_cast<uint64_t>(number(in.arg(1))->integer),
             b = std::bit_cast<uint64_t>(number(inner->args[1])->integer);
  const auto joined = std::bit_cast<int64_t>(op == "add" ? a + b : a * b);
  return in.on({inner->args[0], integer_constant(element_dtype(in.arg(1)), joined)});
}

}  // namespace

void add_arithmetic_rules(RuleTable& rules) {
  rules.insert(
      rules.end(),
      {{"multiply-by-one", "x * 1 = x", {"multiply"}, multiply_by_one},
       {"divide-by-one", "x / 1 = x; floor_divide of integers alone", {"divide", "floor_divide"}, divide_by_one},
       {"add-zero", "x + 0 = x of integers; x + -0 = x of floats", {"add"}, add_zero},
       {"subtract-zero", "x - 0 = x; of floats 0 is not -0", {"subtract"}, subtract_zero},
       {"shift-by-zero", "x << 0 = x, x >> 0 = x", {"left_shift", "right_shift"}, shift_by_zero},
       {"power-of-one", "x ** 1 = x", {"power"}, power_of_one},
       {"multiply-by-zero", "x * 0 = 0 of integers", {"multiply"}, multiply_by_zero},
       {"subtract-itself", "x - x = 0 of integers", {"subtract"}, subtract_itself},
       {"add-negative", "x + -y = x - y", {"add"}, add_negative},
       {"subtract-negative", "x - -y = x + y", {"subtract"}, subtract_negative},
       {"negative-of-negative", "--x = x", {"negative"}, negative_of_negative},
       {"negative-of-difference", "-(x - y) = y - x of integers", {"negative"}, negative_of_difference},
       {"abs-of-positive", "|x| = x of |y|, of squares of floats, of unsigned integers", {"abs"}, abs_of_abs},
       {"even-of-negative", "f(-x) = f(x) of abs and square", {"abs", "square"}, even_of_negative},
       {"square-of-abs", "|x| ** 2 = x ** 2", {"square"}, square_of_abs},
       {"join-numbers",
        "(x + a) + b = x + (a + b), (x * a) * b = x * (a * b) of integers, a and b numbers",
        {"add", "multiply"},
        join_numbers}});
}

}  // namespace sunmao
