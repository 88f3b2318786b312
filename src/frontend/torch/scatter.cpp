// Converters of ops that write or add elements along an axis, at indices.
#include <algorithm>
#include <cmath>
#include <limits>

#include "frontend/shapes.h"
#include "frontend/torch/rows.h"

namespace sunmao::torch {
namespace {

/// What is scattered along `axis`: the data, the indices, and updates in their shape.
struct Scatter {
  Expr data, indices, updates;
  int64_t axis;
  bool from_end = false;  // an index below 0 counts from the end; most ops refuse it
};

Expr scattered(const NodeContext& n, const Scatter& s, const char* reduction) {
  return n.call("scatter_elements", {s.data, s.indices, s.updates},
                {{"axis", s.axis}, {"reduction", reduction}, {"from_end", s.from_end}});
}

/// Returns the first elements of `src`, as many along each axis as there are indices.
Expr leading(const NodeContext& n, const Expr& src, const Expr& indices) {
  std::vector<AxisSlice> slices;
  for (int64_t i = 0; i < n.rank(src); ++i)
    slices.push_back({i, int_imm(0), n.dims(indices).at(static_cast<size_t>(i))});
  return sliced(n.builder, src, slices, n.span);
}

/// Reads `self`, `index`, and `src` or `value`; tensors of rank 0 count as ones of rank 1.
Scatter scatter_of(const NodeContext& n) {
  auto with_rank = [&](const Expr& e) { return rank_of(e) == 0 ? with_axes(n.builder, e, {0}, n.span) : e; };
  Scatter s{with_rank(n.tensor("self")), with_rank(n.tensor("index")), nullptr, n.integer("dim")};
  if (n.has("src"))
    s.updates = leading(n, with_rank(converted(n.builder, n.tensor("src"), dtype_of(s.data), n.span)), s.indices);
  else
    s.updates = broadcast(n.builder, tensor_of(n, operand(n, "value"), dtype_of(s.data)), n.dims(s.indices), n.span);
  return s;
}
Expr in_rank_of_self(const NodeContext& n, const Expr& y) {
  return rank_of(n.tensor("self")) == 0 ? without_axes(n.builder, y, {0}, n.span) : y;
}

/// Returns the reduction's name in ops.
const char* reduction_of(const NodeContext& n, const std::string& name) {
  for (const auto& [theirs, ours] :
       {std::pair{"add", "add"}, std::pair{"sum", "add"}, std::pair{"multiply", "mul"}, std::pair{"prod", "mul"},
        std::pair{"mean", "mean"}, std::pair{"amax", "max"}, std::pair{"amin", "min"}})
    if (name == theirs) return ours;
  n.malformed("reduce");
}

Results scatter(const NodeContext& n) {
  const std::string reduce = n.string("reduce", "");
  return in_rank_of_self(n, scattered(n, scatter_of(n), reduce.empty() ? "update" : reduction_of(n, reduce)));
}
Results scatter_add(const NodeContext& n) { return in_rank_of_self(n, scattered(n, scatter_of(n), "add")); }

/// Returns the number that a reduction leaves others alone with.
double neutral(std::string_view reduction, DType t) {
  if (reduction == "add" || reduction == "mean") return 0;
  if (reduction == "mul") return 1;
  const double sign = reduction == "max" ? -1 : 1;
  if (t.is_float()) return sign * std::numeric_limits<double>::infinity();
  if (t.is_bool()) return sign > 0 ? 1 : 0;
  if (t.is_uint()) return sign > 0 ? std::ldexp(1.0, t.bits) - 1 : 0;
  return sign > 0 ? std::ldexp(1.0, t.bits - 1) - 1 : -std::ldexp(1.0, t.bits - 1);
}

/// Without `include_self`, what is there does not count where something is scattered to.
Results scatter_reduced(const NodeContext& n, Scatter s) {
  const std::string reduction = reduction_of(n, n.string("reduce"));
  const bool includes_self = n.boolean("include_self", true);
  if (!includes_self) {
    Scatter reset = s;
    reset.updates = broadcast(n.builder, n.constant(dtype_of(s.data), neutral(reduction, dtype_of(s.data))),
                              n.dims(s.indices), n.span);
    s.data = scattered(n, reset, "update");
  }
  if (reduction != "mean" || includes_self) return in_rank_of_self(n, scattered(n, s, reduction.c_str()));
  const DType t = dtype_of(s.data);
  auto spread = [&](const Expr& like, double v) {
    return broadcast(n.builder, n.constant(t, v), n.dims(like), n.span);
  };
  Expr counts = scattered(n, {spread(s.data, 0), s.indices, spread(s.indices, 1), s.axis}, "add");
  Expr divisor = n.call("maximum", {counts, n.constant(t, 1)});
  return in_rank_of_self(n, n.call(t.is_float() ? "divide" : "floor_divide", {scattered(n, s, "add"), divisor}));
}

Results scatter_reduce(const NodeContext& n) { return scatter_reduced(n, scatter_of(n)); }

/// Returns the vector `index` of `index_add` and the like, broadcast along `axis` of `shape`.
Expr spread_along(const NodeContext& n, const Expr& index, int64_t axis, const std::vector<Scalar>& shape) {
  std::vector<Scalar> column(shape.size(), int_imm(1));
  column[static_cast<size_t>(axis)] = product(n.builder, n.dims(index));
  return broadcast(n.builder, reshaped(n.builder, index, column, n.span), shape, n.span);
}

/// Reads slices along an axis for the places of a vector: the argument `source`, or a single `value`.
Scatter slices_of(const NodeContext& n) {
  Expr self = n.tensor("self"), x = rank_of(self) == 0 ? with_axes(n.builder, self, {0}, n.span) : self;
  Expr index = n.tensor("index");
  const int64_t axis = from_front(n.integer("dim"), n.rank(x), "E0704", n.span);
  std::vector<Scalar> shape = n.dims(x);
  shape[static_cast<size_t>(axis)] = product(n.builder, n.dims(index));
  Expr updates;
  if (n.has("source")) {
    updates = reshaped(n.builder, converted(n.builder, n.tensor("source"), dtype_of(x), n.span), shape, n.span);
    updates = scaled(n.builder, updates, n.number("alpha", PythonNumber{1, true}).value, n.span);
  } else {
    updates = broadcast(n.builder, tensor_of(n, operand(n, "value"), dtype_of(x)), shape, n.span);
  }
  return {x, spread_along(n, index, axis, shape), updates, axis};
}
Results index_add(const NodeContext& n) { return in_rank_of_self(n, scattered(n, slices_of(n), "add")); }
Results index_copy(const NodeContext& n) { return in_rank_of_self(n, scattered(n, slices_of(n), "update")); }
Results index_fill(const NodeContext& n) {
  Scatter s = slices_of(n);
  s.from_end = true;
  return in_rank_of_self(n, scattered(n, s, "update"));
}
Results index_reduce(const NodeContext& n) { return scatter_reduced(n, slices_of(n)); }

/// Writes at places counted over all elements.
Results put(const NodeContext& n) {
  Expr x = n.tensor("self"), index = n.tensor("index");
  const Scalar count = product(n.builder, n.dims(index));
  Expr flat = reshaped(n.builder, x, {product(n.builder, n.dims(x))}, n.span);
  Expr written = scattered(n,
                           {flat, reshaped(n.builder, index, {count}, n.span),
                            reshaped(n.builder, n.tensor("source"), {count}, n.span), 0, true},
                           n.boolean("accumulate", false) ? "add" : "update");
  return reshaped(n.builder, written, n.dims(x), n.span);
}

}  // namespace

std::vector<Converter> scatter_converters() {
  const char* becomes = "`R.scatter_elements`";
  std::vector<Converter> rows;
  for (const auto& [target, in_place] :
       {std::pair{"aten.scatter.src", "aten.scatter_.src"}, std::pair{"aten.scatter.value", "aten.scatter_.value"},
        std::pair{"aten.scatter.reduce", "aten.scatter_.reduce"},
        std::pair{"aten.scatter.value_reduce", "aten.scatter_.value_reduce"}})
    add_pair<scatter>(rows, target, in_place, becomes);
  add_pair<scatter_add>(rows, "aten.scatter_add.default", "aten.scatter_add_.default", becomes);
  add_pair<scatter_reduce>(rows, "aten.scatter_reduce.two", "aten.scatter_reduce_.two", becomes);
  add_pair<index_reduce>(rows, "aten.index_reduce.default", "aten.index_reduce_.default", becomes);
  add_pair<index_add>(rows, "aten.index_add.default", "aten.index_add_.default", becomes);
  add_pair<index_copy>(rows, "aten.index_copy.default", "aten.index_copy_.default", becomes);
  add_pair<index_fill>(rows, "aten.index_fill.int_Scalar", "aten.index_fill_.int_Scalar", becomes);
  add_pair<index_fill>(rows, "aten.index_fill.int_Tensor", "aten.index_fill_.int_Tensor", becomes);
  add_pair<put>(rows, "aten.put.default", "aten.put_.default", becomes);
  return rows;
}

}  // namespace sunmao::torch
