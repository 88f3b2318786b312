// Converters of ops that give a tensor's elements, in their order, another shape, and of broadcasts.
#include <algorithm>

#include "frontend/shapes.h"
#include "frontend/torch/rows.h"

namespace sunmao::torch {
namespace {

constexpr const char* kReshape = "`R.reshape`";

Expr reshaped_to(const NodeContext& n, const Expr& x, std::vector<Scalar> shape) {
  return reshaped(n.builder, x, resolve_shape(n.builder, n.dims(x), std::move(shape), "E0704", n.span), n.span);
}
/// Writes through a view that has the elements of `self` in their order.
Expr reshaped_back(const NodeContext& n, const Expr& self, const Expr& part) {
  return reshaped(n.builder, part, n.dims(self), n.span);
}

/// A view is converted to a reshape; PyTorch's strides are irrelevant here.
Results view(const NodeContext& n) { return reshaped_to(n, n.tensor("self"), n.sizes("size")); }
Results reshape(const NodeContext& n) { return reshaped_to(n, n.tensor("self"), n.sizes("shape")); }
Results shaped_as_other(const NodeContext& n) {
  return reshaped(n.builder, n.tensor("self"), n.dims(n.tensor("other")), n.span);
}
Results ravel(const NodeContext& n) { return reshaped_to(n, n.tensor("self"), {int_imm(-1)}); }

int64_t axis_from_front(const NodeContext& n, int64_t axis, int64_t rank) {
  return from_front(axis, rank, "E0704", n.span);
}

Results flatten(const NodeContext& n) {
  Expr x = n.tensor("self");
  const int64_t rank = n.rank(x);
  if (rank == 0) return reshaped(n.builder, x, {int_imm(1)}, n.span);
  const int64_t first = axis_from_front(n, n.integer("start_dim", 0), rank),
                last = axis_from_front(n, n.integer("end_dim", -1), rank);
  if (first > last) n.malformed("end_dim");
  return flattened(n.builder, x, static_cast<size_t>(first), static_cast<size_t>(last), n.span);
}

/// Splits one axis into several, of which one size may be -1.
Results unflatten(const NodeContext& n) {
  Expr x = n.tensor("self");
  std::vector<Scalar> shape = n.dims(x);
  const int64_t axis = axis_from_front(n, n.integer("dim"), n.rank(x));
  const auto place = shape.begin() + axis;
  const std::vector<Scalar> parts = resolve_shape(n.builder, {*place}, n.sizes("sizes"), "E0704", n.span);
  shape.insert(shape.erase(place), parts.begin(), parts.end());
  return reshaped(n.builder, x, std::move(shape), n.span);
}

/// Drops the given axes, or all, where the size is 1.
Results squeeze(const NodeContext& n) {
  Expr x = n.tensor("self");
  const std::vector<Scalar>& dims = n.dims(x);
  std::vector<int64_t> wanted = n.integers("dim").value_or(std::vector<int64_t>());
  if (!n.has("dim"))
    for (size_t i = 0; i < dims.size(); ++i) wanted.push_back(static_cast<int64_t>(i));
  std::vector<int64_t> axes;
  for (int64_t axis : wanted) {
    if (dims.empty()) break;  // PyTorch takes a tensor of rank 0 as one of rank 1
    const int64_t a = axis_from_front(n, axis, n.rank(x));
    if (is_dropped(n.builder, dims[static_cast<size_t>(a)], "export with that size", n.span)) axes.push_back(axis);
  }
  return without_axes(n.builder, x, axes, n.span);
}

Results unsqueeze(const NodeContext& n) {
  Expr x = n.tensor("self");
  const int64_t axis = n.integer("dim");
  axis_from_front(n, axis, n.rank(x) + 1);  // refuses one that is out of range
  return with_axes(n.builder, x, {axis}, n.span);
}

/// Adds axes of size 1: before, and for rank 2 of `atleast_3d` behind.
template <int rank>
Results atleast(const NodeContext& n) {
  Expr x = n.tensor("self");
  std::vector<int64_t> axes;
  const int64_t missing = rank - n.rank(x);
  if (rank == 3 && missing == 1) axes = {2};
  if (rank == 3 && missing == 2) axes = {0, 2};
  if (rank != 3 || missing == 3)
    for (int64_t i = 0; i < missing; ++i) axes.push_back(i);
  return with_axes(n.builder, x, axes, n.span);
}

/// Broadcasts to `shape`, in which -1 stands for the size that there is.
Expr expanded(const NodeContext& n, const Expr& x, std::vector<Scalar> shape) {
  const std::vector<Scalar>& dims = n.dims(x);
  if (shape.size() < dims.size()) n.malformed("size");
  const size_t lead = shape.size() - dims.size();
  for (size_t i = lead; i < shape.size(); ++i)
    if (const int64_t* size = find_int(shape[i]); size && *size == -1) shape[i] = dims[i - lead];
  return broadcast(n.builder, x, std::move(shape), n.span);
}
Results expand(const NodeContext& n) { return expanded(n, n.tensor("self"), n.sizes("size")); }
Results expand_as(const NodeContext& n) {
  return broadcast(n.builder, n.tensor("self"), n.dims(n.tensor("other")), n.span);
}

/// The exporter recorded the shape that all have in common.
Results broadcast_tensors(const NodeContext& n) {
  const auto* shape = find<TensorType>(n.recorded());
  if (!shape || !shape->dims()) throw UnsupportedUse{"without recorded shapes"};
  std::vector<Expr> out;
  for (const Expr& x : n.tensors("tensors")) out.push_back(broadcast(n.builder, x, *shape->dims(), n.span));
  return Results(std::move(out));
}

/// Reads the bytes of `x` as elements of another dtype, in the shape `dims`.
Expr bytes_as(const NodeContext& n, const Expr& x, const std::vector<Scalar>& dims, DType to) {
  if (dtype_of(x) == to) return x;
  if (dtype_of(x).is_bool() || to.is_bool()) throw UnsupportedUse{"of bools"};
  return n.call("memory.view", {x, ShapeExpr::make(dims, n.span), DTypeLiteral::make(to, n.span)});
}
Results view_dtype(const NodeContext& n) {
  const std::optional<DType> to = n.dtype("dtype");
  const auto* recorded = find<TensorType>(n.recorded());
  if (!to) n.malformed("dtype");
  if (!recorded || !recorded->dims()) throw UnsupportedUse{"without a recorded shape"};
  return bytes_as(n, n.tensor("self"), *recorded->dims(), *to);
}
Expr write_view_dtype(const NodeContext& n, const Expr& self, const Expr& part) {
  return bytes_as(n, part, n.dims(self), dtype_of(self));
}

}  // namespace

std::vector<Converter> shape_converters() {
  std::vector<Converter> rows;
  auto add = [&](const char* target, Convert convert, const char* becomes = kReshape) {
    rows.push_back({target, convert, becomes, "", Alias::View, reshaped_back});
  };
  for (const char* target : {"aten.view.default", "aten._unsafe_view.default", "aten._reshape_alias.default"})
    add(target, view);
  rows.push_back({"aten.view.dtype", view_dtype, "`R.memory.view`", "not bools", Alias::View, write_view_dtype});
  rows.push_back({"aten.view_copy.dtype", view_dtype, "`R.memory.view`", "not bools"});
  for (const char* target : {"aten.view_as.default", "aten.reshape_as.default"}) add(target, shaped_as_other);
  add("aten.reshape.default", reshape);
  add("aten.ravel.default", ravel);
  add("aten.flatten.using_ints", flatten);
  add("aten.unflatten.int", unflatten);
  for (const char* target : {"aten.squeeze.default", "aten.squeeze.dim", "aten.squeeze.dims"})
    add(target, squeeze, "`R.squeeze`");
  add("aten.unsqueeze.default", unsqueeze, "`R.expand_dims`");
  add("aten.atleast_1d.default", atleast<1>, "`R.expand_dims`");
  add("aten.atleast_2d.default", atleast<2>, "`R.expand_dims`");
  add("aten.atleast_3d.default", atleast<3>, "`R.expand_dims`");
  for (const char* target : {"aten.view_copy.default", "aten.squeeze_copy.dim", "aten.unsqueeze_copy.default"})
    rows.push_back({target, target[5] == 'v' ? view : target[5] == 's' ? squeeze : unsqueeze, kReshape});
  for (const char* target : {"aten.expand.default", "aten.broadcast_to.default"})
    rows.push_back({target, expand, "`R.broadcast_to`", "", Alias::View});
  rows.push_back({"aten.expand_copy.default", expand, "`R.broadcast_to`"});
  rows.push_back({"aten.expand_as.default", expand_as, "`R.broadcast_to`", "", Alias::View});
  rows.push_back({"aten.broadcast_tensors.default", broadcast_tensors, "`R.broadcast_to`"});
  return rows;
}

}  // namespace sunmao::torch
