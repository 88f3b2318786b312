// Converters of ops on triangles and diagonals of matrices.
#include <algorithm>
#include <cstdlib>

#include "frontend/shapes.h"
#include "frontend/torch/rows.h"

namespace sunmao::torch {
namespace {

template <OpName op>
Results triangle(const NodeContext& n) {
  return n.call(op.text, {n.tensor("self"), scalar_operand(n.size("diagonal", 0))});
}

/// Returns the order of axes that puts `a` and `b` last.
std::vector<int64_t> with_last(int64_t rank, int64_t a, int64_t b) {
  std::vector<int64_t> axes;
  for (int64_t i = 0; i < rank; ++i)
    if (i != a && i != b) axes.push_back(i);
  axes.insert(axes.end(), {a, b});
  return axes;
}

Expr counting(const NodeContext& n, const Scalar& end) {
  return n.call("arange", {scalar_operand(int_imm(0)), scalar_operand(end), scalar_operand(int_imm(1))},
                {{"dtype", DType::int_(64)}});
}

/// Takes the elements offset + i * (columns + 1) of the flattened matrices.
Results diagonal_of(const NodeContext& n, int64_t offset, int64_t axis_1, int64_t axis_2) {
  Expr x = n.tensor(n.has("A") ? "A" : "self");
  const int64_t rank = n.rank(x);
  x = permuted(n.builder, x,
               with_last(rank, from_front(axis_1, rank, "E0704", n.span), from_front(axis_2, rank, "E0704", n.span)),
               n.span);
  const std::vector<Scalar> dims = n.dims(x);
  const Scalar &rows = dims.at(dims.size() - 2), &columns = dims.back();
  const Scalar above = int_imm(std::max<int64_t>(offset, 0)), below = int_imm(std::max<int64_t>(-offset, 0));
  const Scalar count = n.builder.simplify(max(min(rows - below, columns - above), int_imm(0)));
  auto number = [&](const Scalar& s) { return sunmao::tensor_of(n.builder, {n.builder.simplify(s)}, false, n.span); };
  Expr places = n.call("multiply", {counting(n, count), number(columns + int_imm(1))});
  places = n.call("add", {places, number(above + below * columns)});
  Expr flat = flattened(n.builder, x, dims.size() - 2, dims.size() - 1, n.span);
  return n.call("take", {flat, places}, {{"axis", -1}});
}
Results diagonal(const NodeContext& n) {
  return diagonal_of(n, n.integer("offset", 0), n.integer("dim1", 0), n.integer("dim2", 1));
}

/// Returns `self` with `part` on a diagonal: row i takes element i - max(-offset, 0) of it.
Expr write_diagonal(const NodeContext& n, const Expr& self, const Expr& part) {
  const int64_t rank = n.rank(self), offset = n.integer("offset", 0), below = std::max<int64_t>(-offset, 0);
  const std::vector<int64_t> order = with_last(rank, from_front(n.integer("dim1", 0), rank, "E0704", n.span),
                                               from_front(n.integer("dim2", 1), rank, "E0704", n.span));
  const Expr x = permuted(n.builder, self, order, n.span);
  const Scalar count = n.dims(part).back();
  const int64_t* known = find_int(count);
  if (known && *known == 0) return self;
  const Expr rows = counting(n, n.dims(x).at(n.dims(x).size() - 2)), columns = counting(n, n.dims(x).back());
  auto number = [&](int64_t v) { return n.constant(DType::int_(64), static_cast<double>(v)); };
  Expr places = n.call("maximum", {n.call("subtract", {rows, number(below)}), number(0)});
  const Expr last = sunmao::tensor_of(n.builder, {n.builder.simplify(count - int_imm(1))}, false, n.span);
  places = n.call("minimum", {places, reshaped(n.builder, last, {}, n.span)});
  const Expr here = n.call("equal", {with_axes(n.builder, n.call("add", {rows, number(offset)}), {1}, n.span),
                                     with_axes(n.builder, columns, {0}, n.span)});
  const Expr values = with_axes(n.builder, n.call("take", {part, places}, {{"axis", -1}}), {rank - 1}, n.span);
  std::vector<int64_t> back(order.size());
  for (size_t i = 0; i < order.size(); ++i) back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  return permuted(n.builder, n.call("where", {here, values, x}), back, n.span);
}
Results diagonal_scatter(const NodeContext& n) { return write_diagonal(n, n.tensor("self"), n.tensor("src")); }
Results linalg_diagonal(const NodeContext& n) {
  return diagonal_of(n, n.integer("offset", 0), n.integer("dim1", -2), n.integer("dim2", -1));
}

/// Puts the last axis on a diagonal of matrices, whose axes stand at `axis_1` and `axis_2` of the result.
Results diagonals(const NodeContext& n, int64_t offset, int64_t axis_1, int64_t axis_2) {
  Expr x = n.tensor("self");
  const int64_t rank = n.rank(x) + 1;
  Expr places = counting(n, n.dims(x).at(n.dims(x).size() - 1));
  Expr on_diagonal =
      n.call("equal", {with_axes(n.builder, places, {1}, n.span), with_axes(n.builder, places, {0}, n.span)});
  Expr columns = with_axes(n.builder, x, {rank - 1}, n.span);
  Expr matrices = n.call("where", {on_diagonal, columns, n.constant(dtype_of(x), 0)});
  if (offset != 0) {
    std::vector<int64_t> widths(static_cast<size_t>(2 * rank), 0);
    auto last = widths.end() - 4;  // rows before and behind, columns before and behind
    (offset > 0 ? last[1] : last[0]) = std::abs(offset);
    (offset > 0 ? last[2] : last[3]) = std::abs(offset);
    matrices = n.call("nn.pad", {matrices}, {{"pad_width", AttrValue::ints(widths)}});
  }
  const std::vector<int64_t> there =
      with_last(rank, from_front(axis_1, rank, "E0704", n.span), from_front(axis_2, rank, "E0704", n.span));
  std::vector<int64_t> back(there.size());
  for (size_t i = 0; i < there.size(); ++i) back[static_cast<size_t>(there[i])] = static_cast<int64_t>(i);
  return permuted(n.builder, matrices, back, n.span);
}
Results diag_embed(const NodeContext& n) {
  return diagonals(n, n.integer("offset", 0), n.integer("dim1", -2), n.integer("dim2", -1));
}
Results diag(const NodeContext& n) {
  const int64_t offset = n.integer("diagonal", 0);
  return n.rank(n.tensor("self")) == 1 ? diagonals(n, offset, -2, -1) : diagonal_of(n, offset, 0, 1);
}

Results trace(const NodeContext& n) {
  Expr x = diagonal_of(n, 0, 0, 1).values[0];
  return n.call("sum", {dtype_of(x).is_float() ? x : converted(n.builder, x, DType::int_(64), n.span)});
}

}  // namespace

std::vector<Converter> diagonal_converters() {
  std::vector<Converter> rows;
  add_pair<triangle<"tril">>(rows, "aten.tril.default", "aten.tril_.default", "`R.tril`");
  add_pair<triangle<"triu">>(rows, "aten.triu.default", "aten.triu_.default", "`R.triu`");
  const char *of_takes = "`R.take` of `R.reshape`", *of_matrices = "`R.where`, and `R.nn.pad` for an offset";
  rows.push_back({"aten.diagonal.default", diagonal, of_takes, "", Alias::View, write_diagonal});
  rows.push_back({"aten.diagonal_scatter.default", diagonal_scatter, "`R.where`, `R.take`"});
  rows.push_back({"aten.diagonal_copy.default", diagonal, of_takes});
  rows.push_back({"aten.linalg_diagonal.default", linalg_diagonal, of_takes});
  rows.push_back({"aten.diag_embed.default", diag_embed, of_matrices});
  rows.push_back({"aten.diag.default", diag, "`R.take`, or `R.where`"});
  rows.push_back({"aten.trace.default", trace, "`R.sum` of `R.take`"});
  return rows;
}

}  // namespace sunmao::torch
