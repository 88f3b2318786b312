// Converters of norms of matrices, by their order, and of condition numbers.
#include <cmath>

#include "frontend/torch/matrices.h"
#include "frontend/torch/rows.h"
#include "frontend/torch/vector_norm.h"

namespace sunmao::torch {
namespace {

/// Norms over the last two axes of `x`, which are kept with size 1.
class MatrixNorm {
 public:
  MatrixNorm(const NodeContext& n, Expr x) : n_(n), x_(std::move(x)) {}

  Expr by_word(const std::string& order) const {
    if (order == "fro") return vector_norm(n_, x_, 2, over({-2, -1}));
    if (order != "nuc") throw UnsupportedUse{"of an order that is neither a number, \"fro\" nor \"nuc\""};
    return of_values("sum");
  }
  Expr by_number(double order) const {
    const double size = std::abs(order);
    const char* extreme = order > 0 ? "max" : "min";
    if (size == 2) return of_values(extreme);
    if (size != 1 && !std::isinf(size)) throw UnsupportedUse{"of matrices of another order than 1, 2 or infinity"};
    const int64_t inner = size == 1 ? -2 : -1, outer = size == 1 ? -1 : -2;
    const Expr sums = n_.call("sum", {n_.call("abs", {x_})}, over({inner}));
    return n_.call(extreme, {sums}, over({outer}));
  }

 private:
  static AttrMap over(const std::vector<int64_t>& axes) {
    return {{"axis", AttrValue::ints(axes)}, {"keepdims", true}};
  }
  Expr of_values(const char* op) const {
    const Results parts = n_.fields(n_.call("linalg.svd", {x_}, {{"full_matrices", false}}), 3);
    return with_axes(n_.builder, n_.call(op, {parts.values[1]}, over({-1})), {-1}, n_.span);
  }

  const NodeContext& n_;
  const Expr x_;
};

/// Returns `x` with the axes of its matrices last; `axes` are those, counted from the front.
Expr with_matrices_last(const NodeContext& n, const Expr& x, const std::vector<int64_t>& axes) {
  std::vector<int64_t> order;
  for (int64_t i = 0; i < n.rank(x); ++i)
    if (i != axes[0] && i != axes[1]) order.push_back(i);
  order.insert(order.end(), axes.begin(), axes.end());
  return permuted(n.builder, x, order, n.span);
}

template <class Norm>
Expr norm_over(const NodeContext& n, std::vector<int64_t> axes, const Norm& norm) {
  Expr x = n.tensor("self");
  const DType t = n.dtype("dtype").value_or(float_or_default(dtype_of(x)));
  if (axes.size() != 2) n.malformed("dim");
  for (int64_t& axis : axes) axis = from_front(axis, n.rank(x), "E0704", n.span);
  if (axes[0] == axes[1]) n.malformed("dim");
  const Expr wide = widened(n, converted(n.builder, x, t, n.span));
  Expr value = without_axes(n.builder, norm(MatrixNorm(n, with_matrices_last(n, wide, axes))), {-2, -1}, n.span);
  if (n.boolean("keepdim", false))
    value = with_axes(n.builder, value, {std::min(axes[0], axes[1]), std::max(axes[0], axes[1])}, n.span);
  return converted(n.builder, value, t, n.span);
}
std::vector<int64_t> matrix_axes(const NodeContext& n) {
  return n.integers("dim").value_or(std::vector<int64_t>{-2, -1});
}

Results norm_by_word(const NodeContext& n) {
  const std::string order = n.string("ord", "fro");
  return norm_over(n, matrix_axes(n), [&](const MatrixNorm& norm) { return norm.by_word(order); });
}
Results norm_by_number(const NodeContext& n) {
  const double order = n.real("ord");
  return norm_over(n, matrix_axes(n), [&](const MatrixNorm& norm) { return norm.by_number(order); });
}
Results nuclear_norm(const NodeContext& n) {
  return norm_over(n, matrix_axes(n), [](const MatrixNorm& norm) { return norm.by_word("nuc"); });
}

/// The norm of a matrix times that of its inverse.
template <class Norm>
Expr condition(const NodeContext& n, const Norm& norm) {
  const Expr a = n.tensor("self"), inverse = n.call("linalg.inverse", {a});
  const Expr product = n.call("multiply", {norm(MatrixNorm(n, a)), norm(MatrixNorm(n, inverse))});
  return without_axes(n.builder, product, {-2, -1}, n.span);
}
Results condition_by_number(const NodeContext& n) {
  const double order = n.has("p") ? n.real("p") : 2;
  if (std::abs(order) != 2) return condition(n, [&](const MatrixNorm& norm) { return norm.by_number(order); });
  const MatrixNorm norm(n, n.tensor("self"));
  return without_axes(n.builder, n.call("divide", {norm.by_number(order), norm.by_number(-order)}), {-2, -1}, n.span);
}
Results condition_by_word(const NodeContext& n) {
  const std::string order = n.string("p");
  return condition(n, [&](const MatrixNorm& norm) { return norm.by_word(order); });
}

}  // namespace

std::vector<Converter> matrix_norm_converters() {
  const char* becomes = "`R.sum`, `R.max` and `R.min` of `R.abs`, or of `R.linalg.svd`";
  return {{"aten.linalg_matrix_norm.str_ord", norm_by_word, becomes},
          {"aten.linalg_matrix_norm.default", norm_by_number, becomes, "of the orders 1, 2 and infinity"},
          {"aten.linalg_norm.ord_str", norm_by_word, becomes},
          {"aten.nuclear_norm.default", nuclear_norm, becomes},
          {"aten.nuclear_norm.dim", nuclear_norm, becomes},
          {"aten.linalg_cond.default", condition_by_number, becomes, "of the orders 1, 2 and infinity"},
          {"aten.linalg_cond.p_str", condition_by_word, becomes}};
}

Expr matrix_norm(const NodeContext& n, double order, const std::vector<int64_t>& axes) {
  return norm_over(n, axes, [&](const MatrixNorm& norm) { return norm.by_number(order); });
}

}  // namespace sunmao::torch
