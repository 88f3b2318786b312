// Converters of systems of equations, determinants, distances and cross products.
#include <algorithm>
#include <cmath>

#include "frontend/torch/matrices.h"
#include "frontend/torch/rows.h"
#include "frontend/torch/vector_norm.h"

namespace sunmao::torch {
namespace {

Expr matrix(const NodeContext& n) { return n.tensor(n.has("A") ? "A" : "self"); }

Results det(const NodeContext& n) { return n.call("linalg.det", {matrix(n)}); }
Results slogdet(const NodeContext& n) {
  const Expr both = n.builder.bind(n.call("linalg.slogdet", {matrix(n)}), "slogdet");
  return {TupleGetItem::make(both, 0, n.span), TupleGetItem::make(both, 1, n.span)};
}
/// NaN where the determinant is negative.
Results logdet(const NodeContext& n) {
  const Results both = slogdet(n);
  const Expr is_negative = n.call("less", {both.values[0], n.constant(dtype_of(both.values[0]), 0)});
  return n.call("where", {is_negative, n.constant(dtype_of(both.values[1]), std::nan("")), both.values[1]});
}

/// The second output says whether it went well.
Results inverse(const NodeContext& n) {
  Expr a = matrix(n);
  Results out{n.call("linalg.inverse", {a})};
  if (n.output_count() > 1) out.values.push_back(no_error(n, a));
  return out;
}

Results cholesky(const NodeContext& n) {
  Expr a = matrix(n);
  const bool upper = n.boolean("upper", false);
  Expr lower = n.call("linalg.cholesky", {upper ? transposed(n, a) : a});
  Results out{upper ? transposed(n, lower) : lower};
  if (n.output_count() > 1) out.values.push_back(no_error(n, a));
  return out;
}

/// Returns the leading dimensions of the result that the exporter recorded, whose last axes are `matrix_axes` many.
std::vector<Scalar> recorded_batch(const NodeContext& n, size_t matrix_axes) {
  const auto* recorded = find<TensorType>(n.recorded());
  if (!recorded || !recorded->dims() || recorded->dims()->size() < matrix_axes)
    throw UnsupportedUse{"without a recorded shape"};
  return {recorded->dims()->begin(), recorded->dims()->end() - static_cast<std::ptrdiff_t>(matrix_axes)};
}

/// True when the right side holds vectors: it has the dimensions of the matrices but the last.
bool holds_vectors(const NodeContext& n, const Expr& a, const Expr& b) {
  const std::vector<Scalar>&left = n.dims(a), &right = n.dims(b);
  if (right.size() == 1) return true;
  if (right.size() + 1 != left.size()) return false;
  for (size_t i = 0; i < right.size(); ++i)
    if (!n.builder.can_prove(Binary::make(BinaryOp::Eq, left[i], right[i]))) return false;
  return true;
}

/// Solves a x = b, or x a = b where `left` is false.
Results solve(const NodeContext& n) {
  Expr a = n.tensor("A"), b = n.tensor("B");
  const bool is_vector = holds_vectors(n, a, b), left = n.boolean("left", true);
  if (is_vector) b = with_axes(n.builder, b, {-1}, n.span);
  if (!left) a = transposed(n, a), b = transposed(n, b);
  const std::vector<Scalar> batch = recorded_batch(n, is_vector ? 1 : 2);
  Expr x = n.call("linalg.solve", {in_batch(n, a, batch), in_batch(n, b, batch)});
  if (!left) x = transposed(n, x);
  return is_vector ? without_axes(n.builder, x, {-1}, n.span) : x;
}

Expr triangular(const NodeContext& n, Expr a, Expr b, bool upper, bool is_transposed, bool is_unit) {
  const std::vector<Scalar> batch = recorded_batch(n, 2);
  return n.call("linalg.triangular_solve", {in_batch(n, a, batch), in_batch(n, b, batch)},
                {{"upper", upper}, {"transposed", is_transposed}, {"unit_diagonal", is_unit}});
}
Results linalg_solve_triangular(const NodeContext& n) {
  Expr a = n.tensor("self"), b = n.tensor("B");
  const bool upper = n.boolean("upper"), is_unit = n.boolean("unitriangular", false);
  if (n.boolean("left", true)) return triangular(n, a, b, upper, false, is_unit);
  return transposed(n, triangular(n, a, transposed(n, b), upper, true, is_unit));
}
Results triangular_solve(const NodeContext& n) {
  Expr a = n.tensor("A");
  return {triangular(n, a, n.tensor("self"), n.boolean("upper", true), n.boolean("transpose", false),
                     n.boolean("unitriangular", false)),
          a};
}

/// Solves with the factor of a Cholesky decomposition.
Results cholesky_solve(const NodeContext& n) {
  Expr factor = n.tensor("input2"), b = n.tensor("self");
  const bool upper = n.boolean("upper", false);
  Expr half = triangular(n, factor, b, upper, upper, false);
  return triangular(n, factor, half, upper, !upper, false);
}

/// Distances of all rows of x1 to all of x2.
Expr distances(const NodeContext& n, double order) {
  Expr x1 = n.tensor("x1"), x2 = n.tensor("x2");
  const DType t = dtype_of(x1);
  const int64_t rank = std::max(n.rank(x1), n.rank(x2));
  while (n.rank(x1) < rank) x1 = with_axes(n.builder, x1, {0}, n.span);
  while (n.rank(x2) < rank) x2 = with_axes(n.builder, x2, {0}, n.span);
  Expr difference = n.call("subtract", {with_axes(n.builder, widened(n, x1), {rank - 1}, n.span),
                                        with_axes(n.builder, widened(n, x2), {rank - 2}, n.span)});
  return converted(n.builder, vector_norm(n, difference, order, {{"axis", AttrValue::ints({-1})}}), t, n.span);
}
Results cdist(const NodeContext& n) { return distances(n, n.real("p", 2.0)); }
Results euclidean_dist(const NodeContext& n) { return distances(n, 2); }
Results dist(const NodeContext& n) {
  std::vector<Expr> x = promoted_to_float(n, {"self", "other"});
  return vector_norm(n, n.call("subtract", x), n.real("p", 2.0), {});
}
/// Distances of each row to those behind it.
Results pdist(const NodeContext& n) {
  Expr x = n.tensor("self");
  const int64_t* rows = find_int(n.dims(x).at(0));
  constexpr int64_t kMost = 1 << 11;
  if (!rows || *rows > kMost) throw UnsupportedUse{"of rows of unknown or large number"};
  std::vector<int64_t> first, second;
  for (int64_t i = 0; i < *rows; ++i)
    for (int64_t j = i + 1; j < *rows; ++j) first.push_back(i), second.push_back(j);
  auto taken = [&](const std::vector<int64_t>& places) {
    return n.call("take", {x, ints_constant(places, n.span)}, {{"axis", 0}});
  };
  Expr difference = n.call("subtract", {taken(first), taken(second)});
  return vector_norm(n, difference, n.real("p", 2.0), {{"axis", AttrValue::ints({-1})}});
}

/// a x b, along an axis of size 3: a[1, 2, 0] * b[2, 0, 1] - a[2, 0, 1] * b[1, 2, 0].
Expr cross_along(const NodeContext& n, int64_t axis) {
  std::vector<Expr> x = promoted(n, {"self", "other"});
  auto turned = [&](const Expr& e, const std::vector<int64_t>& order) {
    return n.call("take", {e, ints_constant(order, n.span)}, {{"axis", axis}});
  };
  const std::vector<int64_t> up{1, 2, 0}, down{2, 0, 1};
  return n.call("subtract", {n.call("multiply", {turned(x[0], up), turned(x[1], down)}),
                             n.call("multiply", {turned(x[0], down), turned(x[1], up)})});
}
Results linalg_cross(const NodeContext& n) { return cross_along(n, n.integer("dim", -1)); }
/// Without an axis it is the first one of size 3.
Results cross(const NodeContext& n) {
  if (n.has("dim")) return cross_along(n, n.integer("dim"));
  const std::vector<Scalar> dims = n.dims(n.tensor("self"));
  auto found = std::ranges::find_if(dims, [](const Scalar& d) { return find_int(d) && *find_int(d) == 3; });
  if (found == dims.end()) n.malformed("dim");
  return cross_along(n, found - dims.begin());
}

/// The sum of products along an axis.
Results vecdot(const NodeContext& n) {
  return n.call("sum", {n.call("multiply", {n.tensor("x"), n.tensor("y")})},
                {{"axis", AttrValue::ints({n.integer("dim", -1)})}});
}
/// Products from left to right.
template <const char* list>
Results product_of_all(const NodeContext& n) {
  const std::vector<Expr> factors = n.tensors(list);
  if (factors.empty()) n.malformed(list);
  Expr out = factors[0];
  for (size_t i = 1; i < factors.size(); ++i) out = n.call("matmul", {out, factors[i]});
  return out;
}
constexpr char kTensors[] = "tensors", kMatrices[] = "matrices";

/// Returns `x` as a matrix, the first `rows` axes of which are its rows.
Expr as_matrix_of(const NodeContext& n, const Expr& x, size_t rows) {
  const std::span<const Scalar> dims = n.dims(x);
  if (rows > dims.size()) throw UnsupportedUse{"of a tensor with fewer axes"};
  return reshaped(n.builder, x, {product(n.builder, dims.first(rows)), product(n.builder, dims.subspan(rows))}, n.span);
}
Results tensorinv(const NodeContext& n) {
  const Expr x = n.tensor("self");
  const auto rows = static_cast<size_t>(n.integer("ind", 2));
  const Expr inverse = n.call("linalg.inverse", {as_matrix_of(n, x, rows)});
  std::vector<Scalar> shape = n.dims(x);
  std::ranges::rotate(shape, shape.begin() + static_cast<std::ptrdiff_t>(rows));
  return reshaped(n.builder, inverse, shape, n.span);
}
/// The axes `dims` of the left side go to its end; those behind the axes of the right side are the unknowns.
Results tensorsolve(const NodeContext& n) {
  Expr a = n.tensor("self");
  const Expr b = n.tensor("other");
  std::vector<int64_t> moved = n.integers("dims").value_or(std::vector<int64_t>()), order;
  for (int64_t& axis : moved) axis = from_front(axis, n.rank(a), "E0704", n.span);
  for (int64_t i = 0; i < n.rank(a); ++i)
    if (std::ranges::find(moved, i) == moved.end()) order.push_back(i);
  order.insert(order.end(), moved.begin(), moved.end());
  if (order.size() != n.dims(a).size()) n.malformed("dims");
  a = permuted(n.builder, a, order, n.span);
  const std::vector<Scalar> dims = n.dims(a);
  const size_t rows = n.dims(b).size();
  const Expr right = reshaped(n.builder, b, {product(n.builder, n.dims(b)), int_imm(1)}, n.span);
  const Expr x = n.call("linalg.solve", {as_matrix_of(n, a, rows), right});
  return reshaped(n.builder, x, {dims.begin() + static_cast<std::ptrdiff_t>(rows), dims.end()}, n.span);
}

/// The powers of each number, from 0 on.
Results powers(const NodeContext& n) {
  const Expr x = with_axes(n.builder, n.tensor("x"), {-1}, n.span);
  const Scalar count = n.has("N") ? n.size("N") : n.dims(n.tensor("x")).back();
  std::vector<Scalar> shape = n.dims(x);
  shape.back() = n.builder.simplify(count - int_imm(1));
  const Expr rest = n.call("cumprod", {broadcast(n.builder, x, shape, n.span)}, {{"axis", -1}});
  return n.call("concat", {Tuple::make({n.call("ones_like", {x}), rest})}, {{"axis", -1}});
}

}  // namespace

std::vector<Converter> linear_algebra_converters() {
  std::vector<Converter> rows;
  auto add = [&](Convert convert, const char* becomes, std::initializer_list<const char*> targets,
                 const char* restriction = "") {
    for (const char* target : targets) rows.push_back({target, convert, becomes, restriction});
  };
  add(det, "`R.linalg.det`", {"aten.linalg_det.default", "aten.det.default"});
  add(det, "`R.linalg.det`", {"aten._linalg_det.default"}, "the first output alone");
  add(logdet, "`R.linalg.slogdet`; NaN for a negative sign", {"aten.logdet.default"});
  add(slogdet, "`R.linalg.slogdet`",
      {"aten.linalg_slogdet.default", "aten.slogdet.default", "aten._linalg_slogdet.default"});
  add(inverse, "`R.linalg.inverse`", {"aten.linalg_inv.default", "aten.linalg_inv_ex.default", "aten.inverse.default"});
  add(cholesky, "`R.linalg.cholesky`",
      {"aten.linalg_cholesky.default", "aten.linalg_cholesky_ex.default", "aten.cholesky.default"});
  add(solve, "`R.linalg.solve`", {"aten.linalg_solve.default"});
  add(solve, "`R.linalg.solve`", {"aten._linalg_solve_ex.default", "aten.linalg_solve_ex.default"},
      "the first output alone");
  add(linalg_solve_triangular, "`R.linalg.triangular_solve`", {"aten.linalg_solve_triangular.default"});
  add(triangular_solve, "`R.linalg.triangular_solve`", {"aten.triangular_solve.default"});
  add(cholesky_solve, "`R.linalg.triangular_solve`", {"aten.cholesky_solve.default"});
  const char* of_distances = "`R.sum` of `R.power` of `R.subtract`, or the like for special orders";
  add(cdist, of_distances, {"aten.cdist.default", "aten._cdist_forward.default"});
  add(euclidean_dist, of_distances, {"aten._euclidean_dist.default"});
  add(pdist, of_distances, {"aten.pdist.default", "aten._pdist_forward.default"}, "the number of rows must be known");
  add(dist, of_distances, {"aten.dist.default"});
  add(linalg_cross, "`R.subtract` of `R.multiply` of `R.take`", {"aten.linalg_cross.default"});
  add(vecdot, "`R.sum` of `R.multiply`", {"aten.linalg_vecdot.default"});
  add(product_of_all<kTensors>, "`R.matmul`", {"aten.linalg_multi_dot.default"});
  add(product_of_all<kMatrices>, "`R.matmul`", {"aten.chain_matmul.default"});
  add(tensorinv, "`R.linalg.inverse` of `R.reshape`", {"aten.linalg_tensorinv.default"});
  add(tensorsolve, "`R.linalg.solve` of `R.reshape`", {"aten.linalg_tensorsolve.default"});
  add(powers, "`R.concat` of `R.cumprod`", {"aten.linalg_vander.default"});
  add(cross, "`R.subtract` of `R.multiply` of `R.take`", {"aten.cross.default"});
  return rows;
}

}  // namespace sunmao::torch
