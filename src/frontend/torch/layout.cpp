// Converters of t, permute, transpose, view, reshape, flatten.
#include <algorithm>
#include <numeric>

#include "frontend/shapes.h"
#include "frontend/torch/node_context.h"

namespace sunmao::torch {
namespace {

Expr permuted(const NodeContext& n, const Expr& x, const std::vector<int64_t>& axes) {
  return n.call("permute_dims", {x}, {{"axes", AttrValue::ints(axes)}});
}

/// Transposes a matrix; a vector is unchanged.
Expr t(const NodeContext& n) {
  Expr x = n.tensor("self");
  return n.dims(x).size() < 2 ? x : permuted(n, x, {1, 0});
}

Expr permute(const NodeContext& n) {
  auto axes = n.integers("dims");
  if (!axes) n.malformed("dims");
  return permuted(n, n.tensor("self"), *axes);
}

Expr transpose(const NodeContext& n) {
  Expr x = n.tensor("self");
  const auto rank = static_cast<int64_t>(n.dims(x).size());
  if (rank == 0) return x;
  std::vector<int64_t> axes(static_cast<size_t>(rank));
  std::iota(axes.begin(), axes.end(), 0);
  const int64_t a = from_front(n.integer("dim0"), rank, "E0704", n.span),
                b = from_front(n.integer("dim1"), rank, "E0704", n.span);
  std::swap(axes[static_cast<size_t>(a)], axes[static_cast<size_t>(b)]);
  return permuted(n, x, axes);
}

/// A view is converted to a reshape; PyTorch's strides are irrelevant here.
Expr reshape_to(const NodeContext& n, std::string_view argument) {
  Expr x = n.tensor("self");
  return reshaped(n.builder, x, resolve_shape(n.builder, n.dims(x), n.sizes(argument), "E0704", n.span), n.span);
}
Expr view(const NodeContext& n) { return reshape_to(n, "size"); }
Expr reshape(const NodeContext& n) { return reshape_to(n, "shape"); }

Expr flatten(const NodeContext& n) {
  Expr x = n.tensor("self");
  const auto rank = static_cast<int64_t>(n.dims(x).size());
  if (rank == 0) return reshaped(n.builder, x, {int_imm(1)}, n.span);
  const int64_t first = from_front(n.integer("start_dim"), rank, "E0704", n.span),
                last = from_front(n.integer("end_dim"), rank, "E0704", n.span);
  if (first > last) n.malformed("end_dim");
  return flattened(n.builder, x, static_cast<size_t>(first), static_cast<size_t>(last), n.span);
}

}  // namespace

std::vector<Converter> layout_converters() {
  return {{"aten.t.default", t, {"permute_dims"}},
          {"aten.permute.default", permute, {"permute_dims"}},
          {"aten.transpose.int", transpose, {"permute_dims"}},
          {"aten.view.default", view, {"reshape"}},
          {"aten._unsafe_view.default", view, {"reshape"}},
          {"aten.reshape.default", reshape, {"reshape"}},
          {"aten.flatten.using_ints", flatten, {"reshape"}, {{"start_dim", 0}, {"end_dim", -1}}}};
}

}  // namespace sunmao::torch
