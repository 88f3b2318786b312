// Converters of reductions: axes are an attribute in older opsets and an input in newer ones.
#include "frontend/onnx/compose.h"

namespace sunmao::onnx {
namespace {

/// How a reduction is called: its axes, if not all, and whether they stay.
AttrMap reduction_attributes(const NodeContext& n, const std::vector<int64_t>& axes) {
  AttrMap attrs{{"keepdims", n.int_attr("keepdims", 1) != 0}};
  if (!axes.empty()) attrs["axis"] = AttrValue::ints(axes);
  return attrs;
}

/// `before` and `after` are elementwise ops around `op`, or "".
template <const char* before, const char* op, const char* after>
Results reduction(const NodeContext& n) {
  Expr x = n.tensor(0);
  const std::vector<int64_t> axes = n.ints_attr_or_input("axes", 1).value_or(std::vector<int64_t>{});
  if (*before) x = n.call(before, {x});
  if (!axes.empty() || n.int_attr("noop_with_empty_axes", 0) == 0) x = n.call(op, {x}, reduction_attributes(n, axes));
  return *after ? n.call(after, {x}) : x;
}

/// Subtracts the largest element first, so that exponentials do not overflow.
Results log_sum_exp(const NodeContext& n) {
  const Expr x = n.tensor(0);
  const std::vector<int64_t> given = n.ints_attr_or_input("axes", 1).value_or(std::vector<int64_t>{});
  if (given.empty() && n.int_attr("noop_with_empty_axes", 0) != 0) return x;
  const std::vector<int64_t> axes = given.empty() ? axes_between(0, n.rank(0)) : given;
  const Expr most = reduced(n, "max", x, axes);
  const Expr top = chosen(n, n.call("isfinite", {most}), most, 0);
  const Expr sum = reduced(n, "sum", n.call("exp", {binary(n, "subtract", x, top)}), axes);
  const Expr result = binary(n, "add", n.call("log", {sum}), top);
  return n.int_attr("keepdims", 1) ? result : without_axes(n.builder, result, axes, n.span);
}

constexpr char kNone[] = "", kSum[] = "sum", kMean[] = "mean", kMax[] = "max", kMin[] = "min", kProd[] = "prod",
               kAbs[] = "abs", kSquare[] = "square", kSqrt[] = "sqrt", kLog[] = "log";

}  // namespace

std::vector<Converter> reduce_converters() {
  const char* kConstant = "axes must be constant";
  return {{"ReduceSum", 1, reduction<kNone, kSum, kNone>, "`R.sum`", kConstant},
          {"ReduceMean", 1, reduction<kNone, kMean, kNone>, "`R.mean`", kConstant},
          {"ReduceMax", 1, reduction<kNone, kMax, kNone>, "`R.max`", kConstant},
          {"ReduceMin", 1, reduction<kNone, kMin, kNone>, "`R.min`", kConstant},
          {"ReduceProd", 1, reduction<kNone, kProd, kNone>, "`R.prod`", kConstant},
          {"ReduceL1", 1, in_float32<reduction<kAbs, kSum, kNone>>, "`R.abs`, `R.sum`", kConstant},
          {"ReduceL2", 1, in_float32<reduction<kSquare, kSum, kSqrt>>, "`R.square`, `R.sum`, `R.sqrt`", kConstant},
          {"ReduceSumSquare", 1, in_float32<reduction<kSquare, kSum, kNone>>, "`R.square`, `R.sum`", kConstant},
          {"ReduceLogSum", 1, in_float32<reduction<kNone, kSum, kLog>>, "`R.sum`, `R.log`", kConstant},
          {"ReduceLogSumExp", 1, in_float32<log_sum_exp>, "`R.max`, `R.exp`, `R.sum`, `R.log` and elementwise ops",
           kConstant}};
}

}  // namespace sunmao::onnx
