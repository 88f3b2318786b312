// Converters of systems of equations, determinants, distances and cross products.
#include <algorithm>
#include <cmath>

#include "frontend/shapes.h"
#include "frontend/torch/rows.h"
#include "frontend/torch/vector_norm.h"

namespace sunmao::torch {
namespace {

Expr transposed(const NodeContext& n, const Expr& x) {
  const int64_t rank = n.rank(x);
  std::vector<int64_t> axes;
  for (int64_t i = 0; i + 2 < rank; ++i) axes.push_back(i);
  axes.insert(axes.end(), {rank - 1, rank - 2});
  return permuted(n.builder, x, axes, n.span);
}

Expr matrix(const NodeContext& n) { return n.tensor(n.has("A") ? "A" : "self"); }

/// The status of each matrix, which says that all went well.
Expr no_error(const NodeContext& n, const Expr& a) {
  const std::vector<Scalar> batch(n.dims(a).begin(), n.dims(a).end() - 2);
  return broadcast(n.builder, n.constant(DType::int_(32), 0), batch, n.span);
}

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

/// Returns `x` with the leading dimensions `batch`.
Expr in_batch(const NodeContext& n, const Expr& x, std::vector<Scalar> batch) {
  if (n.rank(x) < 2) throw UnsupportedUse{"of vectors"};
  batch.insert(batch.end(), n.dims(x).end() - 2, n.dims(x).end());
  return broadcast(n.builder, x, batch, n.span);
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
  add(cross, "`R.subtract` of `R.multiply` of `R.take`", {"aten.cross.default"});
  return rows;
}

}  // namespace sunmao::torch
