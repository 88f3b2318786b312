// Converters of Transpose, Reshape, Flatten.
#include <algorithm>

#include "frontend/onnx/node_context.h"
#include "frontend/shapes.h"

namespace sunmao::onnx {
namespace {

Value transpose(const NodeContext& n) {
  Expr x = n.tensor(0);
  std::vector<int64_t> perm;
  if (auto given = n.ints_attr("perm"); given && !given->empty()) {
    perm = *given;
  } else {
    for (size_t i = n.dims(0).size(); i-- > 0;) perm.push_back(static_cast<int64_t>(i));
  }
  return of_expr(n.call("permute_dims", {x}, {{"axes", AttrValue::ints(perm)}}));
}

/// A shape value keeps its elements: target [k] or [-1] makes it a list, [] a single number.
Value reshape_shape(const NodeContext& n) {
  ShapeValue s = n.get_shape(0);
  std::vector<int64_t> target = n.constant_ints(1, "target shapes");
  const auto size = static_cast<int64_t>(s.elements.size());
  if (target.size() > 1) throw UnsupportedUse{"of a shape into more than one dimension"};
  if (target.empty() ? size != 1 : target[0] != -1 && target[0] != size)
    n.fail(fmt::format("a shape of {} elements cannot be reshaped to another number of them", size));
  s.is_list = !target.empty();
  return of_shape(std::move(s));
}

Value reshape(const NodeContext& n) {
  if (n.is_computed_shape(0)) return reshape_shape(n);
  ShapeValue shape = n.get_shape(1);
  const std::vector<Scalar>& from = n.dims(0);
  if (shape.elements.size() > kMaxRank) n.fail(fmt::format("a shape of {} dimensions", shape.elements.size()));
  std::vector<Scalar> target = shape.elements;
  const bool keeps_zeros = n.int_attr("allowzero", 0) != 0;
  for (size_t i = 0; i < target.size() && !keeps_zeros; ++i) {
    if (!find_int(target[i]) || *find_int(target[i]) != 0) continue;
    if (i >= from.size())
      n.fail(fmt::format("dimension {} of the shape is 0: copied from the input, which has rank {}", i, from.size()));
    target[i] = from[i];
  }
  target = resolve_shape(n.builder, from, std::move(target), "E0609", n.span);
  return of_expr(reshaped(n.builder, n.tensor(0), std::move(target), n.span));
}

/// Returns a matrix with the axes before `axis` as rows and the others as columns.
Value flatten(const NodeContext& n) {
  const std::vector<Scalar>& dims = n.dims(0);
  const auto rank = static_cast<int64_t>(dims.size());
  int64_t axis = n.int_attr("axis", 1);
  if (axis < -rank || axis > rank) n.fail(fmt::format("axis {} is out of range for rank {}", axis, rank));
  if (axis < 0) axis += rank;
  std::span<const Scalar> all(dims);
  const auto split = static_cast<size_t>(axis);
  std::vector<Scalar> target{product(n.builder, all.first(split)), product(n.builder, all.subspan(split))};
  return of_expr(reshaped(n.builder, n.tensor(0), std::move(target), n.span));
}

}  // namespace

std::vector<Converter> layout_converters() {
  return {{"Transpose", 1, transpose, {"permute_dims"}},
          {"Reshape", 5, reshape, {"reshape"}},
          {"Flatten", 1, flatten, {"reshape"}}};
}

}  // namespace sunmao::onnx
