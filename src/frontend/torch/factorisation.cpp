// Converters of factorisations of matrices, and of what they serve: pseudo-inverses, ranks, spectral norms.
#include <algorithm>
#include <cmath>
#include <limits>

#include "frontend/torch/matrices.h"
#include "frontend/torch/rows.h"

namespace sunmao::torch {
namespace {

Expr matrices(const NodeContext& n) { return n.tensor(n.has("A") ? "A" : n.has("input") ? "input" : "self"); }

/// Returns the fields of a call that gives a tuple.
std::vector<Expr> results_of(const NodeContext& n, const char* op, std::vector<Expr> args, size_t count,
                             AttrMap attrs = {}) {
  return n.fields(n.call(op, std::move(args), std::move(attrs)), count).values;
}
/// What PyTorch gives in the place of factors that nobody asked for.
Expr none_of(const NodeContext& n, const Expr& a) {
  return n.call("full", {ShapeExpr::make({int_imm(0)}), n.constant(dtype_of(a), 0)}, {{"dtype", dtype_of(a)}});
}
/// Returns `x` times numbers along its last axis.
Expr with_columns_scaled(const NodeContext& n, const Expr& x, const Expr& by) {
  return n.call("multiply", {x, with_axes(n.builder, by, {-2}, n.span)});
}

Expr identity(const NodeContext& n, const Scalar& rows, const Scalar& columns, DType dtype) {
  return n.call("eye", {scalar_operand(rows), scalar_operand(columns), scalar_operand(int_imm(0))}, {{"dtype", dtype}});
}

Results qr_of(const NodeContext& n, const Expr& a, bool complete, bool gives_q) {
  std::vector<Expr> parts = results_of(n, "linalg.qr", {a}, 2, {{"complete", complete}});
  return {gives_q ? parts[0] : none_of(n, a), parts[1]};
}
Results linalg_qr(const NodeContext& n) {
  const std::string mode = n.string("mode", "reduced");
  return qr_of(n, matrices(n), mode == "complete", mode != "r");
}
Results qr(const NodeContext& n) { return qr_of(n, matrices(n), !n.boolean("some", true), true); }

Results geqrf(const NodeContext& n) { return Results(results_of(n, "linalg.qr_factor", {n.tensor("self")}, 2)); }

/// Returns Q, of which the reflections are the factors, or Q^T, times `x`.
Expr reflected(const NodeContext& n, const Expr& factors, const Expr& scales, const Expr& x, bool is_transposed) {
  return n.call("linalg.reflect", {factors, scales, x}, {{"transposed", is_transposed}});
}
Results ormqr(const NodeContext& n) {
  const Expr factors = n.tensor("self"), scales = n.tensor("input2"), x = n.tensor("input3");
  const bool is_transposed = n.boolean("transpose", false);
  if (n.boolean("left", true)) return reflected(n, factors, scales, x, is_transposed);
  return transposed(n, reflected(n, factors, scales, transposed(n, x), !is_transposed));
}
/// Converts the first columns of Q, as many as the factors have.
Results householder_product(const NodeContext& n) {
  const Expr factors = matrices(n), scales = n.tensor(n.has("tau") ? "tau" : "input2");
  const std::vector<Scalar>& dims = n.dims(factors);
  const Expr eye = identity(n, dims.at(dims.size() - 2), dims.back(), dtype_of(factors));
  return reflected(n, factors, scales, broadcast(n.builder, eye, dims, n.span), false);
}

std::vector<Expr> svd_of(const NodeContext& n, const Expr& a, bool is_full) {
  return results_of(n, "linalg.svd", {a}, 3, {{"full_matrices", is_full}});
}
Expr singular_values(const NodeContext& n, const Expr& a) { return svd_of(n, a, false)[1]; }
Results linalg_svd(const NodeContext& n) {
  const Expr a = matrices(n);
  const bool is_full = n.boolean(
      "full_matrices", n.target.find("linalg_svd.") != std::string_view::npos && !n.target.starts_with("aten._"));
  if (n.boolean("compute_uv", true)) return Results(svd_of(n, a, is_full));
  return {none_of(n, a), singular_values(n, a), none_of(n, a)};
}
/// Gives V in the place of its transpose; factors that nobody asked for are zeros, of the full size.
Results svd(const NodeContext& n) {
  const Expr a = matrices(n);
  const bool is_wanted = n.boolean("compute_uv", true);
  const std::vector<Expr> parts = svd_of(n, a, !is_wanted || !n.boolean("some", true));
  const Expr v = transposed(n, parts[2]);
  if (is_wanted) return {parts[0], parts[1], v};
  return {n.call("zeros_like", {parts[0]}), parts[1], n.call("zeros_like", {v})};
}
Results svdvals(const NodeContext& n) { return singular_values(n, matrices(n)); }

std::vector<Expr> eigh_of(const NodeContext& n, const Expr& a) {
  const std::string half = n.string("UPLO", "L");
  if (half.size() != 1 || std::string_view("UuLl").find(half) == std::string_view::npos) n.malformed("UPLO");
  return results_of(n, "linalg.eigh", {a}, 2, {{"upper", half == "U" || half == "u"}});
}
Results eigh(const NodeContext& n) {
  const Expr a = matrices(n);
  const std::vector<Expr> parts = eigh_of(n, a);
  return {parts[0], n.boolean("compute_v", true) ? parts[1] : none_of(n, a)};
}
Results eigvalsh(const NodeContext& n) { return eigh_of(n, matrices(n))[0]; }

Results matrix_exp(const NodeContext& n) { return n.call("linalg.matrix_exp", {matrices(n)}); }

void need_pivots(const NodeContext& n) {
  if (!n.boolean("pivot", true)) throw UnsupportedUse{"without pivoting"};
}
/// Returns a number of rows or columns of each matrix from its beginning.
Expr first_along(const NodeContext& n, const Expr& a, int64_t axis, const Scalar& count) {
  return sliced(n.builder, a, {{axis < 0 ? n.rank(a) + axis : axis, int_imm(0), count}}, n.span);
}
Expr places_from(const NodeContext& n, const Scalar& begin, const Scalar& end) {
  return n.call("arange", {scalar_operand(begin), scalar_operand(end), scalar_operand(int_imm(1))},
                {{"dtype", DType::int_(64)}});
}

/// Returns the status of factors: the place, counted from 1, of the first 0 on the diagonal, or 0 where there is none.
Expr first_zero(const NodeContext& n, const Expr& lu) {
  const std::vector<Scalar>& dims = n.dims(lu);
  const Scalar least = n.builder.simplify(min(dims.at(dims.size() - 2), dims.back()));
  const Scalar beyond = n.builder.simplify(least + int_imm(1));
  const Expr square = first_along(n, first_along(n, lu, -1, least), -2, least);
  const Expr is_zero = n.call("logical_and", {identity(n, least, least, DType::bool_()),
                                              n.call("equal", {square, n.constant(dtype_of(lu), 0)})});
  const auto number = [&](const Scalar& s) { return sunmao::tensor_of(n.builder, {s}, false, n.span); };
  const Expr place = n.call("where", {is_zero, places_from(n, int_imm(1), beyond), number(beyond)});
  const Expr first = n.call("min", {place}, {{"axis", AttrValue::ints({-2, -1})}});
  const Expr status = n.call("where", {n.call("equal", {first, number(beyond)}), number(int_imm(0)), first});
  return converted(n.builder, status, DType::int_(32), n.span);
}

/// Gives the factors in one matrix, the pivots, and where it is asked for the status.
Results lu_factor(const NodeContext& n) {
  need_pivots(n);
  const Expr a = matrices(n);
  Results out(results_of(n, "linalg.lu_factor", {a}, 2));
  if (n.output_count() > 2) out.values.push_back(first_zero(n, out.values[0]));
  return out;
}
/// Returns the matrices that put rows in the places which the pivots say, and both triangles.
Results unpacked(const NodeContext& n, const Expr& lu, const Expr& pivots) {
  const std::vector<Scalar>& dims = n.dims(lu);
  const Scalar rows = dims.at(dims.size() - 2), columns = dims.back(), least = n.builder.simplify(min(rows, columns));
  const DType t = dtype_of(lu);
  const auto triangle = [&](const char* op, const Expr& x, int64_t diagonal) {
    return n.call(op, {x, scalar_operand(int_imm(diagonal))});
  };
  const Expr lower = n.call("add", {triangle("tril", first_along(n, lu, -1, least), -1), identity(n, rows, least, t)});
  const Expr upper = triangle("triu", first_along(n, lu, -2, least), 0);
  const Expr order = with_axes(n.builder, n.call("linalg.lu_row_order", {lu, pivots}), {-2}, n.span);
  const Expr places = places_from(n, int_imm(0), rows);
  const Expr is_there = n.call("equal", {order, with_axes(n.builder, places, {1}, n.span)});
  return {converted(n.builder, is_there, t, n.span), lower, upper};
}
Results linalg_lu(const NodeContext& n) {
  need_pivots(n);
  const std::vector<Expr> parts = results_of(n, "linalg.lu_factor", {matrices(n)}, 2);
  return unpacked(n, parts[0], parts[1]);
}
Results lu_unpack(const NodeContext& n) {
  const Expr lu = n.tensor("LU_data");
  Results out = unpacked(n, lu, n.tensor("LU_pivots"));
  if (!n.boolean("unpack_pivots", true)) out.values[0] = none_of(n, lu);
  if (!n.boolean("unpack_data", true)) out.values[1] = out.values[2] = none_of(n, lu);
  return out;
}

/// Solves with the factors: the rows of b in the order of the pivots, then both triangles.
Expr solved_by_factors(const NodeContext& n, const Expr& lu_given, const Expr& pivots, const Expr& b_given) {
  const std::vector<Scalar> batch = batch_of(n, b_given);
  const Expr lu = in_batch(n, lu_given, batch), b = b_given;
  const auto triangle = [&](const Expr& right, bool upper) {
    return n.call("linalg.triangular_solve", {lu, right},
                  {{"upper", upper}, {"transposed", false}, {"unit_diagonal", !upper}});
  };
  Expr order = n.call("linalg.lu_row_order", {lu_given, pivots});
  order = broadcast(n.builder, with_axes(n.builder, order, {-1}, n.span), n.dims(b), n.span);
  const Expr ordered = n.call("gather_elements", {b, order}, {{"axis", static_cast<int64_t>(batch.size())}});
  return triangle(triangle(ordered, false), true);
}
Results linalg_lu_solve(const NodeContext& n) {
  if (!n.boolean("left", true) || n.boolean("adjoint", false))
    throw UnsupportedUse{"on the right side, or with the transposed matrix"};
  return solved_by_factors(n, n.tensor("LU"), n.tensor("pivots"), n.tensor("B"));
}
Results lu_solve(const NodeContext& n) {
  return solved_by_factors(n, n.tensor("LU_data"), n.tensor("LU_pivots"), n.tensor("self"));
}

/// Returns the inverse of a a^T, of which `factor` is the triangle.
Results cholesky_inverse(const NodeContext& n) {
  const Expr factor = n.tensor("self");
  const bool upper = n.boolean("upper", false);
  const Scalar size = n.dims(factor).at(n.dims(factor).size() - 1);
  const Expr eye = identity(n, size, size, dtype_of(factor));
  const auto solve = [&](const Expr& b, bool is_transposed) {
    return n.call("linalg.triangular_solve", {factor, b},
                  {{"upper", upper}, {"transposed", is_transposed}, {"unit_diagonal", false}});
  };
  return solve(solve(broadcast(n.builder, eye, n.dims(factor), n.span), upper), !upper);
}

double rounding_of(DType t) {
  return t == DType::float_(64) ? std::numeric_limits<double>::epsilon() : std::numeric_limits<float>::epsilon();
}
/// Returns a bound that is given as a number or as a tensor, as a tensor beside `values`; null when it is not given.
Expr bound_beside(const NodeContext& n, std::string_view name, const Expr& values) {
  if (!n.has(name)) return nullptr;
  if (!n.has_tensor(name)) return n.constant(dtype_of(values), n.real(name));
  return with_axes(n.builder, converted(n.builder, n.tensor(name), dtype_of(values), n.span), {-1}, n.span);
}
/// Returns whether singular values, or magnitudes of eigenvalues, count as more than 0: max(atol, rtol * the largest).
Expr is_significant(const NodeContext& n, const Expr& a, const Expr& values) {
  const DType t = dtype_of(values);
  const Expr absolute = bound_beside(n, n.has("tol") ? "tol" : "atol", values);
  Expr relative = bound_beside(n, n.has("rcond") ? "rcond" : "rtol", values);
  if (n.has("tol")) relative = n.constant(t, 0);
  if (!relative && n.target == "aten.pinverse.default") relative = n.constant(t, 1e-15);
  if (!relative) {
    const std::vector<Scalar>& dims = n.dims(a);
    const Scalar most = n.builder.simplify(max(dims.at(dims.size() - 2), dims.back()));
    Expr count = converted(n.builder, sunmao::tensor_of(n.builder, {most}, false, n.span), t, n.span);
    relative = scaled(n.builder, count, rounding_of(t), n.span);
    // A bound above 0 is one alone.
    if (absolute)
      relative = n.call("where", {n.call("greater", {absolute, n.constant(t, 0)}), n.constant(t, 0), relative});
  }
  const Expr largest = n.call("max", {values}, {{"axis", AttrValue::ints({-1})}, {"keepdims", true}});
  Expr least = n.call("multiply", {largest, relative});
  if (absolute) least = n.call("maximum", {least, absolute});
  return n.call("greater", {values, least});
}

Results pseudo_inverse(const NodeContext& n) {
  const Expr a = matrices(n);
  const DType t = dtype_of(a);
  const bool is_symmetric = n.boolean("hermitian", false);
  std::vector<Expr> parts = is_symmetric ? results_of(n, "linalg.eigh", {a}, 2) : svd_of(n, a, false);
  const Expr values = is_symmetric ? parts[0] : parts[1];
  const Expr counts = is_significant(n, a, is_symmetric ? n.call("abs", {values}) : values);
  const Expr safe = n.call("where", {counts, values, n.constant(t, 1)});
  const Expr inverse = n.call("where", {counts, n.call("divide", {n.constant(t, 1), safe}), n.constant(t, 0)});
  const Expr right = is_symmetric ? parts[1] : transposed(n, parts[2]), left = is_symmetric ? parts[1] : parts[0];
  return n.call("matmul", {with_columns_scaled(n, right, inverse), transposed(n, left)});
}

Results matrix_rank(const NodeContext& n) {
  const Expr a = matrices(n);
  const bool is_symmetric = n.boolean("hermitian", false);
  const Expr values = is_symmetric ? n.call("abs", {results_of(n, "linalg.eigh", {a}, 2)[0]}) : singular_values(n, a);
  const Expr counts = converted(n.builder, is_significant(n, a, values), DType::int_(64), n.span);
  return n.call("sum", {counts}, {{"axis", AttrValue::ints({-1})}});
}

}  // namespace

std::vector<Converter> factorisation_converters() {
  std::vector<Converter> rows;
  auto add = [&](Convert convert, const char* becomes, std::initializer_list<const char*> targets,
                 const char* restriction = "") {
    for (const char* target : targets) rows.push_back({target, convert, becomes, restriction});
  };
  add(linalg_qr, "`R.linalg.qr`", {"aten.linalg_qr.default"});
  add(qr, "`R.linalg.qr`", {"aten.qr.default"});
  add(geqrf, "`R.linalg.qr_factor`", {"aten.geqrf.default"});
  add(ormqr, "`R.linalg.reflect`", {"aten.ormqr.default"});
  add(householder_product, "`R.linalg.reflect` of `R.eye`",
      {"aten.linalg_householder_product.default", "aten.orgqr.default"});
  add(linalg_svd, "`R.linalg.svd`", {"aten.linalg_svd.default", "aten._linalg_svd.default"});
  add(svd, "`R.linalg.svd`", {"aten.svd.default"});
  add(svdvals, "`R.linalg.svd`", {"aten.linalg_svdvals.default"});
  add(eigh, "`R.linalg.eigh`", {"aten.linalg_eigh.default", "aten._linalg_eigh.default"});
  add(eigvalsh, "`R.linalg.eigh`", {"aten.linalg_eigvalsh.default"});
  add(matrix_exp, "`R.linalg.matrix_exp`", {"aten.linalg_matrix_exp.default", "aten.matrix_exp.default"});
  const char* pivoting = "with pivoting";
  add(lu_factor, "`R.linalg.lu_factor`",
      {"aten.linalg_lu_factor.default", "aten.linalg_lu_factor_ex.default", "aten._lu_with_info.default"}, pivoting);
  add(linalg_lu, "`R.linalg.lu_factor`, `R.tril`, `R.triu` and `R.linalg.lu_row_order`", {"aten.linalg_lu.default"},
      pivoting);
  add(lu_unpack, "`R.tril`, `R.triu` and `R.linalg.lu_row_order`", {"aten.lu_unpack.default"});
  const char* of_triangles = "`R.linalg.triangular_solve` of `R.gather_elements`";
  add(linalg_lu_solve, of_triangles, {"aten.linalg_lu_solve.default"}, "on the left side, with the matrix itself");
  add(lu_solve, of_triangles, {"aten.lu_solve.default"});
  add(cholesky_inverse, "`R.linalg.triangular_solve`", {"aten.cholesky_inverse.default"});
  add(pseudo_inverse, "`R.matmul` of what `R.linalg.svd` or `R.linalg.eigh` gives",
      {"aten.linalg_pinv.default", "aten.linalg_pinv.atol_rtol_float", "aten.linalg_pinv.atol_rtol_tensor",
       "aten.pinverse.default"});
  add(matrix_rank, "`R.sum` of singular values that count",
      {"aten.linalg_matrix_rank.default", "aten.linalg_matrix_rank.atol_rtol_float",
       "aten.linalg_matrix_rank.atol_rtol_tensor", "aten.linalg_matrix_rank.tol_tensor"});
  return rows;
}

}  // namespace sunmao::torch
