// Converters that write elements at indices: Scatter, ScatterElements, ScatterND, TensorScatter.
#include "frontend/onnx/compose.h"

namespace sunmao::onnx {
namespace {

std::string reduction_of(const NodeContext& n) {
  const std::string how = n.string_attr("reduction", "none");
  if (how == "none") return "update";
  if (how != "add" && how != "mul" && how != "max" && how != "min")
    n.fail(
        fmt::format("Only \"none\", \"add\", \"mul\", \"max\" and \"min\" reductions are supported, but got {}", how));
  return how;
}

Results scatter_elements(const NodeContext& n) {
  return n.call("scatter_elements", {n.tensor(0), n.tensor(1), n.tensor(2)},
                {{"axis", n.int_attr("axis", 0)}, {"reduction", reduction_of(n)}});
}

Results scatter_nd(const NodeContext& n) {
  return n.call("scatter_nd", {n.tensor(0), n.tensor(1), n.tensor(2)}, {{"reduction", reduction_of(n)}});
}

/// Writes the update of each sample from its index on along the axis.
Results tensor_scatter(const NodeContext& n) {
  const std::vector<Scalar>&size = n.dims(0), &update = n.dims(1);
  const auto rank = static_cast<int64_t>(size.size());
  const int64_t axis = axis_of(n, n.int_attr("axis", -2), rank);
  require_rank(n, 1, rank);
  const std::string mode = n.string_attr("mode", "linear");
  if (mode != "linear" && mode != "circular") n.fail("`mode` is neither \"linear\" nor \"circular\"");
  Expr places = places_along(n, update[static_cast<size_t>(axis)], DType::int_(64), axis, rank);
  if (n.has_input(2)) {
    const Expr begin =
        with_axes(n.builder, converted(n.builder, n.tensor(2), DType::int_(64), n.span), axes_between(1, rank), n.span);
    places = binary(n, "add", places, begin);
  }
  if (mode == "circular")
    places = binary(n, "floor_mod", places, tensor_of(n.builder, {size[static_cast<size_t>(axis)]}, false, n.span));
  return n.call("scatter_elements", {n.tensor(0), broadcast(n.builder, places, update, n.span), n.tensor(1)},
                {{"axis", axis}});
}

}  // namespace

std::vector<Converter> scatter_converters() {
  return {{"Scatter", 9, scatter_elements, "`R.scatter_elements`"},
          {"ScatterElements", 11, scatter_elements, "`R.scatter_elements`"},
          {"ScatterND", 11, scatter_nd, "`R.scatter_nd`"},
          {"TensorScatter", 24, tensor_scatter, "`R.scatter_elements` at `R.arange`, `R.add`, `R.floor_mod`"}};
}

}  // namespace sunmao::onnx
