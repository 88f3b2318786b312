// Converters that read elements at indices: Gather, GatherElements, GatherND, Compress.
#include "frontend/onnx/compose.h"

namespace sunmao::onnx {
namespace {

Results gather(const NodeContext& n) {
  return n.call("take", {n.tensor(0), n.tensor(1)}, {{"axis", n.int_attr("axis", 0)}});
}

Results gather_elements(const NodeContext& n) {
  return n.call("gather_elements", {n.tensor(0), n.tensor(1)}, {{"axis", n.int_attr("axis", 0)}});
}

Results gather_nd(const NodeContext& n) {
  return n.call("gather_nd", {n.tensor(0), n.tensor(1)}, {{"batch_dims", n.int_attr("batch_dims", 0)}});
}

/// Takes the slices at the places where the condition holds, how many only a run knows.
Results compress(const NodeContext& n) {
  Expr x = n.tensor(0);
  const bool is_flat = !n.has_attr("axis");
  if (is_flat && n.rank(0) != 1) x = n.call("flatten", {x});
  const Expr places = without_axes(n.builder, places_of_nonzero(n, n.tensor(1)), {0}, n.span);
  return n.call("take", {x, places}, {{"axis", is_flat ? 0 : n.int_attr("axis", 0)}});
}

}  // namespace

std::vector<Converter> gather_converters() {
  return {{"Gather", 1, gather, "`R.take`"},
          {"GatherElements", 11, gather_elements, "`R.gather_elements`"},
          {"GatherND", 11, gather_nd, "`R.gather_nd`"},
          {"Compress", 9, compress, "`R.take` of `R.nonzero`, `R.squeeze`"}};
}

}  // namespace sunmao::onnx
