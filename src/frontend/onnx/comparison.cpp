// Converters of comparisons, logic and bits: Equal, Where, And, IsInf, BitShift and the like.
#include "frontend/onnx/compose.h"

namespace sunmao::onnx {
namespace {

Results where(const NodeContext& n) { return chosen(n, n.tensor(0), n.tensor(1), n.tensor(2)); }

Results is_inf(const NodeContext& n) {
  const Expr x = n.tensor(0);
  const bool below = n.int_attr("detect_negative", 1) != 0, above = n.int_attr("detect_positive", 1) != 0;
  const Expr found = n.call("isinf", {x});
  if (below && above) return found;
  if (!below && !above) return n.call("zeros_like", {x}, {{"dtype", DType::bool_()}});
  return binary(n, "logical_and", found, binary(n, above ? "greater" : "less", x, 0));
}

/// Shifts by a negative amount or by all bits and more leave what fills the bits, as those of the library do.
Results bit_shift(const NodeContext& n) {
  const std::string direction = n.string_attr("direction", "");
  if (direction != "LEFT" && direction != "RIGHT") n.fail("`direction` is neither \"LEFT\" nor \"RIGHT\"");
  return binary(n, direction == "LEFT" ? "left_shift" : "right_shift", n.tensor(0), n.tensor(1));
}

constexpr char kEqual[] = "equal", kGreater[] = "greater", kGreaterEqual[] = "greater_equal", kLess[] = "less",
               kLessEqual[] = "less_equal", kAnd[] = "logical_and", kOr[] = "logical_or", kXor[] = "logical_xor",
               kNot[] = "logical_not", kIsNan[] = "isnan", kBitsAnd[] = "bitwise_and", kBitsOr[] = "bitwise_or",
               kBitsXor[] = "bitwise_xor", kBitsNot[] = "bitwise_not";

}  // namespace

std::vector<Converter> comparison_converters() {
  return {{"Equal", 7, of_two<kEqual>, "`R.equal`"},
          {"Greater", 7, of_two<kGreater>, "`R.greater`"},
          {"GreaterOrEqual", 12, of_two<kGreaterEqual>, "`R.greater_equal`"},
          {"Less", 7, of_two<kLess>, "`R.less`"},
          {"LessOrEqual", 12, of_two<kLessEqual>, "`R.less_equal`"},
          {"Where", 9, where, "`R.where`"},
          {"And", 7, of_two<kAnd>, "`R.logical_and`"},
          {"Or", 7, of_two<kOr>, "`R.logical_or`"},
          {"Xor", 7, of_two<kXor>, "`R.logical_xor`"},
          {"Not", 1, unary<kNot>, "`R.logical_not`"},
          {"IsNaN", 9, unary<kIsNan>, "`R.isnan`"},
          {"IsInf", 10, is_inf, "`R.isinf`, `R.logical_and`, `R.greater`, `R.less`, `R.zeros_like`"},
          {"BitwiseAnd", 18, of_two<kBitsAnd>, "`R.bitwise_and`"},
          {"BitwiseOr", 18, of_two<kBitsOr>, "`R.bitwise_or`"},
          {"BitwiseXor", 18, of_two<kBitsXor>, "`R.bitwise_xor`"},
          {"BitwiseNot", 18, unary<kBitsNot>, "`R.bitwise_not`"},
          {"BitShift", 11, bit_shift, "`R.left_shift`, `R.right_shift`"}};
}

}  // namespace sunmao::onnx
