// Converters of reductions.
#include <algorithm>

#include "frontend/shapes.h"
#include "frontend/torch/rows.h"
#include "frontend/torch/vector_norm.h"

namespace sunmao::torch {
namespace {

/// Returns what to reduce over: the axes of `dim`, all of them where it is omitted, None or empty.
AttrMap axes(const NodeContext& n, const Expr& x) {
  AttrMap attrs{{"keepdims", n.boolean("keepdim", false)}};
  const std::vector<int64_t> dims = n.integers("dim").value_or(std::vector<int64_t>());
  if (!dims.empty() && rank_of(x) != 0) attrs["axis"] = AttrValue::ints(dims);
  return attrs;
}
Expr reduced_by(const NodeContext& n, const char* op, const Expr& x) { return n.call(op, {x}, axes(n, x)); }

/// Returns the number of elements that make one result.
Scalar count(const NodeContext& n, const Expr& x) {
  const std::vector<Scalar>& dims = n.dims(x);
  const std::vector<int64_t> wanted = n.integers("dim").value_or(std::vector<int64_t>());
  if (wanted.empty()) return product(n.builder, dims);
  Scalar out = int_imm(1);
  for (int64_t axis : wanted)
    if (!dims.empty())
      out = n.builder.simplify(out * dims[static_cast<size_t>(from_front(axis, n.rank(x), "E0704", n.span))]);
  return out;
}

/// Returns `self` in the dtype to add up in: `dtype`, else int64 for integers and bools.
Expr summand(const NodeContext& n) {
  Expr x = n.tensor("self");
  const DType own = dtype_of(x).is_float() ? dtype_of(x) : DType::int_(64);
  return converted(n.builder, x, n.dtype("dtype").value_or(own), n.span);
}
template <OpName op>
Results total(const NodeContext& n) {
  return reduced_by(n, op.text, summand(n));
}
Results mean(const NodeContext& n) {
  Expr x = n.tensor("self");
  return reduced_by(n, "mean", converted(n.builder, x, n.dtype("dtype").value_or(dtype_of(x)), n.span));
}
Expr without_nan(const NodeContext& n, const Expr& x) {
  return dtype_of(x).is_float() ? n.call("where", {n.call("isnan", {x}), n.constant(dtype_of(x), 0), x}) : x;
}
Results nansum(const NodeContext& n) { return reduced_by(n, "sum", without_nan(n, summand(n))); }
Results nanmean(const NodeContext& n) {
  Expr x = summand(n), wide = widened(n, x);
  Expr numbers = converted(n.builder, n.call("logical_not", {n.call("isnan", {wide})}), dtype_of(wide), n.span);
  Expr quotient = n.call("divide", {reduced_by(n, "sum", without_nan(n, wide)), reduced_by(n, "sum", numbers)});
  return converted(n.builder, quotient, dtype_of(x), n.span);
}

template <OpName op>
Results extreme(const NodeContext& n) {
  return reduced_by(n, op.text, n.tensor("self"));
}
Results aminmax(const NodeContext& n) {
  Expr x = n.tensor("self");
  return {reduced_by(n, "min", x), reduced_by(n, "max", x)};
}

/// Converts `any` and `all`, which are extremes of bools; of uint8 the result is uint8.
template <OpName op>
Results quantified(const NodeContext& n) {
  Expr truth = converted(n.builder, n.tensor("self"), DType::bool_(), n.span);
  return converted(n.builder, reduced_by(n, op.text, truth), n.recorded_dtype(), n.span);
}
Results count_nonzero(const NodeContext& n) {
  Expr truth = converted(n.builder, n.tensor("self"), DType::bool_(), n.span);
  return reduced_by(n, "sum", converted(n.builder, truth, DType::int_(64), n.span));
}

/// log(sum(exp(x))), shifted by the largest element unless that is infinite.
Results logsumexp(const NodeContext& n) {
  Expr x = float_tensor(n, "self"), wide = widened(n, x);
  AttrMap kept = axes(n, x);
  kept["keepdims"] = true;
  Expr largest = n.call("max", {wide}, kept);
  Expr shift = n.call("where", {n.call("isfinite", {largest}), largest, n.constant(dtype_of(wide), 0)});
  Expr sum = n.call("log", {n.call("sum", {n.call("exp", {n.call("subtract", {wide, shift})})}, kept)});
  Expr result = n.call("add", {sum, shift});
  if (!n.boolean("keepdim", false)) {
    const std::vector<int64_t> dims = n.integers("dim").value_or(std::vector<int64_t>());
    if (rank_of(x) != 0)
      result = dims.empty() ? reshaped(n.builder, result, {}, n.span) : without_axes(n.builder, result, dims, n.span);
  }
  return converted(n.builder, result, dtype_of(x), n.span);
}

/// Returns what the variance is corrected by: the divisor is the number of elements less this.
double correction(const NodeContext& n) {
  if (n.target.ends_with(".correction")) return n.real("correction", 1.0);
  return n.boolean("unbiased", true) ? 1 : 0;
}

/// Returns the variance times count / (count - correction).
Expr variance_of(const NodeContext& n, const Expr& x) {
  Expr variance = reduced_by(n, "variance", x);
  const double less = correction(n);
  if (less == 0) return variance;
  const Scalar elements = count(n, x);
  if (const int64_t* known = find_int(elements)) {
    const auto number = static_cast<double>(*known);
    return scaled(n.builder, variance, number / std::max(0.0, number - less), n.span);
  }
  Expr number = converted(n.builder, sunmao::tensor_of(n.builder, {elements}, false, n.span), dtype_of(x), n.span);
  Expr rest =
      n.call("maximum", {n.call("subtract", {number, n.constant(dtype_of(x), less)}), n.constant(dtype_of(x), 0)});
  return n.call("multiply", {variance, n.call("divide", {number, rest})});
}
template <bool is_std>
Expr deviation(const NodeContext& n) {
  Expr x = n.tensor("self"), wide = widened(n, x);
  Expr variance = variance_of(n, wide);
  return converted(n.builder, is_std ? n.call("sqrt", {variance}) : variance, dtype_of(x), n.span);
}
template <bool is_std>
Results spread(const NodeContext& n) {
  return deviation<is_std>(n);
}
template <bool is_std>
Results spread_and_mean(const NodeContext& n) {
  return {deviation<is_std>(n), reduced_by(n, "mean", n.tensor("self"))};
}

Results norm_in(const NodeContext& n, double order) {
  Expr x = n.tensor("self");
  const DType t = n.dtype("dtype").value_or(float_or_default(dtype_of(x)));
  return vector_norm(n, converted(n.builder, x, t, n.span), order, axes(n, x));
}
Results linalg_vector_norm(const NodeContext& n) { return norm_in(n, n.real("ord", 2.0)); }
Results norm(const NodeContext& n) { return norm_in(n, n.real("p", 2.0)); }
/// Without an order it is the norm of all elements as a vector.
Results linalg_norm(const NodeContext& n) {
  const std::optional<std::vector<int64_t>> dims = n.integers("dim");
  const bool is_vector = dims ? dims->size() < 2 : rank_of(n.tensor("self")) < 2;
  if (!n.has("ord") || is_vector) return norm_in(n, n.real("ord", 2.0));
  return matrix_norm(n, n.real("ord"), dims.value_or(std::vector<int64_t>{-2, -1}));
}

/// Sums up the axes that a broadcast from `size` would have added or repeated.
Results sum_to_size(const NodeContext& n) {
  Expr x = n.tensor("self");
  const std::vector<Scalar> size = n.sizes("size"), dims = n.dims(x);
  if (size.size() > dims.size()) n.malformed("size");
  const size_t lead = dims.size() - size.size();
  std::vector<int64_t> axes, added;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i < lead) added.push_back(static_cast<int64_t>(i));
    const bool is_one = i >= lead && find_int(size[i - lead]) && *find_int(size[i - lead]) == 1;
    if (i < lead || is_one) axes.push_back(static_cast<int64_t>(i));
  }
  if (axes.empty()) return x;
  const Expr sum = n.call("sum", {x}, {{"axis", AttrValue::ints(axes)}, {"keepdims", true}});
  return without_axes(n.builder, sum, added, n.span);
}

/// Shortens parts along an axis whose norm is larger than `maxnorm`.
Results renorm(const NodeContext& n) {
  Expr x = n.tensor("self"), wide = widened(n, x);
  const int64_t axis = from_front(n.integer("dim"), n.rank(x), "E0704", n.span);
  std::vector<int64_t> others;
  for (int64_t i = 0; i < n.rank(x); ++i)
    if (i != axis) others.push_back(i);
  const DType t = dtype_of(wide);
  const Expr norm = vector_norm(n, wide, n.real("p"), {{"axis", AttrValue::ints(others)}, {"keepdims", true}});
  const Expr most = n.constant(t, n.real("maxnorm")), above = n.call("add", {norm, n.constant(t, 1e-7)});
  const Expr factor =
      n.call("where", {n.call("greater", {norm, most}), n.call("divide", {most, above}), n.constant(t, 1)});
  return converted(n.builder, n.call("multiply", {wide, factor}), dtype_of(x), n.span);
}

/// Converts a scan along `dim`; a tensor of rank 0 is its own scan.
template <OpName op>
Results scan(const NodeContext& n) {
  Expr x = summand(n);
  return rank_of(x) == 0 ? x : n.call(op.text, {x}, {{"axis", n.integer("dim")}});
}
Results logcumsumexp(const NodeContext& n) {
  Expr x = float_tensor(n, "self");
  return rank_of(x) == 0 ? x : n.call("logcumsumexp", {x}, {{"axis", n.integer("dim")}});
}

void add_spreads(std::vector<Converter>& rows) {
  const char* becomes = "`R.variance`, corrected by `R.multiply`";
  for (const char* target : {"aten.var.default", "aten.var.dim", "aten.var.correction"})
    rows.push_back({target, spread<false>, becomes});
  for (const char* target : {"aten.std.default", "aten.std.dim", "aten.std.correction"})
    rows.push_back({target, spread<true>, becomes});
  for (const char* target : {"aten.var_mean.default", "aten.var_mean.dim", "aten.var_mean.correction"})
    rows.push_back({target, spread_and_mean<false>, becomes});
  for (const char* target : {"aten.std_mean.default", "aten.std_mean.dim", "aten.std_mean.correction"})
    rows.push_back({target, spread_and_mean<true>, becomes});
}

void add_norms(std::vector<Converter>& rows) {
  const char* becomes = "`R.sum` of `R.power`, or `R.max` and the like for special orders";
  rows.push_back({"aten.linalg_vector_norm.default", linalg_vector_norm, becomes});
  for (const char* target :
       {"aten.norm.Scalar", "aten.norm.ScalarOpt_dim", "aten.norm.ScalarOpt_dim_dtype", "aten.norm.ScalarOpt_dtype"})
    rows.push_back({target, norm, becomes});
  rows.push_back({"aten.linalg_norm.default", linalg_norm, becomes, "of matrices the orders 1, 2 and infinity"});
}

}  // namespace

std::vector<Converter> reduce_converters() {
  std::vector<Converter> rows;
  auto add = [&](Convert convert, const char* becomes, std::initializer_list<const char*> targets) {
    for (const char* target : targets) rows.push_back({target, convert, becomes});
  };
  add(total<"sum">, "`R.sum`", {"aten.sum.default", "aten.sum.dim_IntList"});
  add(total<"prod">, "`R.prod`", {"aten.prod.default", "aten.prod.dim_int"});
  add(mean, "`R.mean`", {"aten.mean.default", "aten.mean.dim"});
  add(nansum, "`R.sum` of `R.where`", {"aten.nansum.default"});
  add(nanmean, "`R.sum` of `R.where`, and `R.divide`", {"aten.nanmean.default"});
  add(extreme<"max">, "`R.max`", {"aten.amax.default", "aten.max.default"});
  add(extreme<"min">, "`R.min`", {"aten.amin.default", "aten.min.default"});
  add(aminmax, "`R.min` and `R.max`", {"aten.aminmax.default"});
  add(quantified<"max">, "`R.max` of bools", {"aten.any.default", "aten.any.dim", "aten.any.dims"});
  add(quantified<"min">, "`R.min` of bools", {"aten.all.default", "aten.all.dim", "aten.all.dims"});
  add(count_nonzero, "`R.sum` of bools", {"aten.count_nonzero.default", "aten.count_nonzero.dim_IntList"});
  add(logsumexp, "`R.log` of `R.sum` of `R.exp`", {"aten.logsumexp.default"});
  add(sum_to_size, "`R.sum`", {"aten.sum_to_size.default"});
  add_pair<renorm>(rows, "aten.renorm.default", "aten.renorm_.default", "`R.multiply` by `R.where`");
  add_pair<scan<"cumsum">>(rows, "aten.cumsum.default", "aten.cumsum_.default", "`R.cumsum`");
  add_pair<scan<"cumprod">>(rows, "aten.cumprod.default", "aten.cumprod_.default", "`R.cumprod`");
  add(logcumsumexp, "`R.logcumsumexp`", {"aten.logcumsumexp.default"});
  add_spreads(rows);
  add_norms(rows);
  return rows;
}

}  // namespace sunmao::torch
