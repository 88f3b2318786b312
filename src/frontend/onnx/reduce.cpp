// Converters of ReduceSum, ReduceMean: axes are an attribute in older opsets and an input in newer ones.
#include "frontend/onnx/node_context.h"

namespace sunmao::onnx {
namespace {

Value reduce(const NodeContext& n, const char* op, const std::vector<int64_t>& axes, bool may_be_noop) {
  Expr x = n.tensor(0);
  if (axes.empty() && may_be_noop && n.int_attr("noop_with_empty_axes", 0) != 0) return of_expr(x);
  AttrMap attrs{{"keepdims", n.int_attr("keepdims", 1) != 0}};
  if (!axes.empty()) attrs["axis"] = AttrValue::ints(axes);  // none: reduces all axes
  return of_expr(n.call(op, {x}, std::move(attrs)));
}

template <const char* op>
Value axes_as_attribute(const NodeContext& n) {
  return reduce(n, op, n.ints_attr("axes").value_or(std::vector<int64_t>{}), false);
}

template <const char* op>
Value axes_as_input(const NodeContext& n) {
  return reduce(n, op, n.has_input(1) ? n.constant_ints(1, "axes") : std::vector<int64_t>{}, true);
}

constexpr char kSum[] = "sum", kMean[] = "mean";

}  // namespace

std::vector<Converter> reduce_converters() {
  return {{"ReduceSum", 1, axes_as_attribute<kSum>, {"sum"}},
          {"ReduceSum", 13, axes_as_input<kSum>, {"sum"}},
          {"ReduceMean", 1, axes_as_attribute<kMean>, {"mean"}},
          {"ReduceMean", 18, axes_as_input<kMean>, {"mean"}}};
}

}  // namespace sunmao::onnx
