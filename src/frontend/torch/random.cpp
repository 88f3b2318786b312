// Converters of random ops. They draw other numbers than PyTorch does, of the same distributions.
#include <cmath>
#include <limits>
#include <numbers>

#include "frontend/shapes.h"
#include "frontend/torch/draws.h"
#include "frontend/torch/rows.h"

namespace sunmao::torch {
namespace {

using Sizes = std::vector<Scalar>;
using Draw = Expr (*)(const NodeContext&, const Sizes&, DType);

Expr uniform(const NodeContext& n, const Sizes& dims, DType dtype) { return uniform_numbers(n, dims, dtype); }
Expr normal(const NodeContext& n, const Sizes& dims, DType dtype) { return normal_numbers(n, dims, dtype); }
Expr integers(const NodeContext& n, const Sizes& dims, DType dtype) {
  return integers_between(n, n.size("low", 0), n.size("high"), dims, dtype);
}

template <Draw draw>
Results new_tensor(const NodeContext& n) {
  return draw(n, n.sizes("size"), n.dtype("dtype").value_or(n.recorded_dtype()));
}
template <Draw draw>
Results like(const NodeContext& n) {
  Expr x = n.tensor("self");
  return draw(n, n.dims(x), n.dtype("dtype").value_or(dtype_of(x)));
}

/// Returns x * factor + more.
Expr shifted(const NodeContext& n, const Expr& x, double factor, double more) {
  const Expr product = scaled(n.builder, x, factor, n.span);
  return more == 0 ? product : n.call("add", {product, n.constant(dtype_of(x), more)});
}
/// Returns the dtype in which numbers are drawn for a tensor.
DType wide(DType dtype) { return dtype == DType::float_(64) ? dtype : DType::float_(32); }

/// Converters of ops that draw new values for `self`, in its shape and dtype.
Results uniform_values(const NodeContext& n) {
  Expr x = n.tensor("self");
  return uniform_numbers(n, n.dims(x), dtype_of(x), n.real("from", 0.0), n.real("to", 1.0));
}
Results normal_values(const NodeContext& n) {
  Expr x = n.tensor("self");
  return shifted(n, normal_numbers(n, n.dims(x), dtype_of(x)), n.real("std", 1.0), n.real("mean", 0.0));
}
Results log_normal_values(const NodeContext& n) {
  Expr x = n.tensor("self");
  const Expr drawn = normal_numbers(n, n.dims(x), wide(dtype_of(x)));
  const Expr values = n.call("exp", {shifted(n, drawn, n.real("std", 2.0), n.real("mean", 1.0))});
  return converted(n.builder, values, dtype_of(x), n.span);
}
Results exponential_values(const NodeContext& n) {
  Expr x = n.tensor("self");
  const Expr drawn = exponential_numbers(n, n.dims(x), dtype_of(x));
  return converted(n.builder, scaled(n.builder, drawn, 1 / n.real("lambd", 1.0), n.span), dtype_of(x), n.span);
}
/// Gives the number of trials until one succeeds: 1, 2, ….
Results geometric_values(const NodeContext& n) {
  Expr x = n.tensor("self");
  const double p = n.real("p");
  if (!(p > 0 && p < 1)) throw UnsupportedUse{fmt::format("with the probability {}", p)};
  const Expr drawn = exponential_numbers(n, n.dims(x), dtype_of(x));
  const Expr trials = n.call("ceil", {scaled(n.builder, drawn, -1 / std::log1p(-p), n.span)});
  return converted(n.builder, trials, dtype_of(x), n.span);
}
Results cauchy_values(const NodeContext& n) {
  Expr x = n.tensor("self");
  const Expr angle = uniform_numbers(n, n.dims(x), wide(dtype_of(x)), -std::numbers::pi / 2, std::numbers::pi / 2);
  const Expr values = shifted(n, n.call("tan", {angle}), n.real("sigma", 1.0), n.real("median", 0.0));
  return converted(n.builder, values, dtype_of(x), n.span);
}

/// Returns the end of the integers from 0 on that the dtype holds all of.
int64_t end_of_integers(DType dtype) {
  if (dtype.is_float())
    return (int64_t{1} << (dtype.bits == 64 ? 53 : dtype.bits == 32 ? 24 : dtype == DType::float_(16) ? 11 : 8)) + 1;
  if (dtype.is_bool()) return 2;
  const int bits = dtype.is_int() ? dtype.bits - 1 : dtype.bits;
  return bits >= 63 ? std::numeric_limits<int64_t>::max() : int64_t{1} << bits;
}
Results integer_values(const NodeContext& n) {
  Expr x = n.tensor("self");
  const Scalar end = n.has("to") ? n.size("to") : Scalar(int_imm(end_of_integers(dtype_of(x))));
  return integers_between(n, int_imm(0), end, n.dims(x), dtype_of(x));
}

/// Gives 1 with a probability that is a number, or an element of a tensor.
Results bernoulli(const NodeContext& n) {
  Expr x = n.tensor("self");
  if (n.has_number("p")) return converted(n.builder, events(n, n.dims(x), n.real("p")), dtype_of(x), n.span);
  const Expr share = widened(n, n.has_tensor("p") ? n.tensor("p") : x);
  const Expr drawn = uniform_numbers(n, n.dims(x), dtype_of(share));
  return converted(n.builder, n.call("less", {drawn, share}), dtype_of(x), n.span);
}

/// Draws around a mean, with a deviation; either is a number or a tensor.
Results around(const NodeContext& n) {
  const auto is_tensor = [&](const char* name) { return n.has_tensor(name); };
  if (!is_tensor("mean") && !is_tensor("std"))
    return shifted(n, normal_numbers(n, n.sizes("size"), n.dtype("dtype").value_or(n.recorded_dtype())), n.real("std"),
                   n.real("mean"));
  const Expr like = is_tensor("mean") ? n.tensor("mean") : n.tensor("std");
  const bool both = is_tensor("mean") && is_tensor("std");
  const Sizes dims = n.dims(both ? n.call("add", {like, n.tensor("std")}) : like);
  const Expr drawn = normal_numbers(n, dims, dtype_of(like));
  const Expr deviations = is_tensor("std") ? n.call("multiply", {drawn, n.tensor("std")})
                                           : scaled(n.builder, drawn, n.real("std", 1.0), n.span);
  return is_tensor("mean") ? n.call("add", {deviations, like}) : shifted(n, deviations, 1, n.real("mean", 0.0));
}

/// Gives the places of random numbers in order; of 53 bits, hardly any two are equal.
Results random_order(const NodeContext& n) {
  const DType dtype = n.dtype("dtype").value_or(n.recorded_dtype()), places = DType::int_(64);
  const Expr keys = uniform_numbers(n, {n.size("n")}, DType::float_(64));
  return converted(n.builder, n.call("argsort", {keys}, {{"dtype", places}}), dtype, n.span);
}

constexpr DType kClass = DType::int_(64);
constexpr DType kExact = DType::float_(64);

/// Draws each class as often as it may come: those into whose part of the row's sum a number falls.
Expr drawn_again(const NodeContext& n, const Expr& weights, const Scalar& rows, const Scalar& count) {
  const Expr sum = n.call("sum", {weights}, {{"axis", AttrValue::ints({1})}, {"keepdims", true}});
  const Expr share = n.call("divide", {weights, sum});
  const Sizes column{n.builder.simplify(rows * count), int_imm(1)};
  const Expr numbers = n.call("arange", {scalar_operand(int_imm(0)), scalar_operand(rows), scalar_operand(int_imm(1))},
                              {{"dtype", kClass}});
  const Expr row_of = broadcast(n.builder, with_axes(n.builder, numbers, {1}, n.span), {rows, count}, n.span);
  const Expr classes = n.call("multinomial_from_uniform",
                              {share, uniform_numbers(n, column, kExact), reshaped(n.builder, row_of, column, n.span)},
                              {{"dtype", kClass}});
  return reshaped(n.builder, classes, {rows, count}, n.span);
}

/// Draws each class at most once: of waiting times, whose means are one over the weights, the shortest.
Expr drawn_once(const NodeContext& n, const Expr& weights, int64_t count) {
  const Expr rates = n.call("divide", {weights, exponential_numbers(n, n.dims(weights), kExact)});
  return n.call("topk", {rates}, {{"k", count}, {"axis", 1}, {"ret_type", "indices"}, {"dtype", kClass}});
}

Results multinomial(const NodeContext& n) {
  Expr x = converted(n.builder, n.tensor("self"), kExact, n.span);
  const bool is_vector = n.rank(x) == 1;
  if (is_vector) x = with_axes(n.builder, x, {0}, n.span);
  const Scalar rows = n.dims(x).at(0), count = n.size("num_samples");
  const bool again = n.boolean("replacement", false);
  if (!again && !find_int(count)) throw UnsupportedUse{"without replacement, of a symbolic number of samples"};
  const Expr classes = again ? drawn_again(n, x, rows, count) : drawn_once(n, x, *find_int(count));
  return is_vector ? without_axes(n.builder, classes, {0}, n.span) : classes;
}

const char* const kUniform = "`R.random.uniform`";
const char* const kNormal = "`R.random.normal`";
const char* const kIntegers = "`R.random.integers`";

}  // namespace

std::vector<Converter> random_converters() {
  std::vector<Converter> rows{
      {"aten.rand.default", new_tensor<uniform>, kUniform},
      {"aten.rand_like.default", like<uniform>, kUniform},
      {"aten.randn.default", new_tensor<normal>, kNormal},
      {"aten.randn_like.default", like<normal>, kNormal},
      {"aten.randint.default", new_tensor<integers>, kIntegers},
      {"aten.randint.low", new_tensor<integers>, kIntegers},
      {"aten.randint_like.default", like<integers>, kIntegers},
      {"aten.randint_like.low_dtype", like<integers>, kIntegers},
      {"aten.randperm.default", random_order, "`R.random.uniform`, `R.argsort`"},
      {"aten.multinomial.default", multinomial, "`R.random.uniform`, `R.multinomial_from_uniform` or `R.topk`",
       "not in a loop that a run decides; without replacement the number of samples must be known"},
      {"aten.normal_functional.default", normal_values, kNormal}};
  for (const char* target : {"aten.bernoulli.default", "aten.bernoulli.p", "aten.bernoulli.Tensor"})
    rows.push_back({target, bernoulli, "`R.random.uniform`, `R.less`"});
  for (const char* target : {"aten.bernoulli_.float", "aten.bernoulli_.Tensor"})
    rows.push_back({target, into_self<bernoulli>, "`R.random.uniform`, `R.less`", "", Alias::InPlace});
  for (const char* target :
       {"aten.normal.Tensor_Tensor", "aten.normal.Tensor_float", "aten.normal.float_Tensor", "aten.normal.float_float"})
    rows.push_back({target, around, kNormal});
  rows.push_back({"aten.normal_.default", into_self<normal_values>, kNormal, "", Alias::InPlace});
  add_pair<uniform_values>(rows, "aten.uniform.default", "aten.uniform_.default", kUniform);
  add_pair<integer_values>(rows, "aten.random.default", "aten.random_.default", kIntegers);
  add_pair<integer_values>(rows, "aten.random.to", "aten.random_.to", kIntegers);
  add_pair<exponential_values>(rows, "aten.exponential.default", "aten.exponential_.default",
                               "`R.random.uniform`, `R.log1p`");
  add_pair<geometric_values>(rows, "aten.geometric.default", "aten.geometric_.default",
                             "`R.random.uniform`, `R.log1p`, `R.ceil`");
  add_pair<cauchy_values>(rows, "aten.cauchy.default", "aten.cauchy_.default", "`R.random.uniform`, `R.tan`");
  add_pair<log_normal_values>(rows, "aten.log_normal.default", "aten.log_normal_.default",
                              "`R.random.normal`, `R.exp`");
  for (Converter& row : rows)
    if (!*row.restriction) row.restriction = "not in a loop that a run decides";
  return rows;
}

}  // namespace sunmao::torch
