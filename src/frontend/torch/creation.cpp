// Converters of ops that make tensors from sizes and numbers.
#include <algorithm>
#include <cmath>

#include "frontend/shapes.h"
#include "frontend/torch/rows.h"

namespace sunmao::torch {
namespace {

/// Returns the dtype of a new tensor: the argument, else that of `like`, else what the exporter recorded.
DType dtype_of_new(const NodeContext& n, DType like = {}) {
  if (std::optional<DType> dtype = n.dtype("dtype")) return *dtype;
  return like.is_void() ? n.recorded_dtype() : like;
}

Expr filled(const NodeContext& n, std::vector<Scalar> shape, const Operand& value, DType dtype) {
  return n.call("full", {ShapeExpr::make(std::move(shape)), tensor_of(n, value, dtype)}, {{"dtype", dtype}});
}
Operand number(double value) { return {nullptr, {value, true}, true}; }

Results full(const NodeContext& n) { return filled(n, n.sizes("size"), operand(n, "fill_value"), dtype_of_new(n)); }
/// Converts to zeros, ones, or memory that nothing has written yet, which becomes zeros.
template <int value>
Results constant(const NodeContext& n) {
  return filled(n, n.sizes("size"), number(value), dtype_of_new(n));
}
template <int value>
Results constant_like(const NodeContext& n) {
  Expr x = n.tensor("self");
  return filled(n, n.dims(x), number(value), dtype_of_new(n, dtype_of(x)));
}
template <int value>
Results new_constant(const NodeContext& n) {
  return filled(n, n.sizes("size"), number(value), dtype_of_new(n, dtype_of(n.tensor("self"))));
}
Results full_like(const NodeContext& n) {
  Expr x = n.tensor("self");
  return filled(n, n.dims(x), operand(n, "fill_value"), dtype_of_new(n, dtype_of(x)));
}
Results new_full(const NodeContext& n) {
  return filled(n, n.sizes("size"), operand(n, "fill_value"), dtype_of_new(n, dtype_of(n.tensor("self"))));
}
Results fill(const NodeContext& n) {
  Expr x = n.tensor("self");
  Operand value = operand(n, "value");
  if (value.tensor) value.tensor = reshaped(n.builder, value.tensor, {}, n.span);
  return filled(n, n.dims(x), value, dtype_of(x));
}
Results scalar_tensor(const NodeContext& n) { return tensor_of(n, operand(n, "s"), dtype_of_new(n)); }

/// Returns a bound of `arange` as a scalar operand.
Expr bound(const NodeContext& n, std::string_view name, int64_t otherwise) {
  if (n.has_number(name) && !n.number(name).is_integer)
    return PrimValue::make(FloatImm::make(DType::float_(64), n.number(name).value));
  return scalar_operand(n.size(name, otherwise));
}
Results arange(const NodeContext& n) {
  const DType dtype = dtype_of_new(n);
  Expr start = bound(n, "start", 0), end = bound(n, "end", 0), step = bound(n, "step", 1);
  return n.call("arange", {start, end, step}, {{"dtype", dtype}});
}

Results eye(const NodeContext& n) {
  const Scalar rows = n.size("n");
  const Scalar columns = n.has("m") ? n.size("m") : rows;
  return n.call("eye", {scalar_operand(rows), scalar_operand(columns), scalar_operand(int_imm(0))},
                {{"dtype", dtype_of_new(n)}});
}

/// Returns a vector of float64 numbers that are known now, as `dtype`.
Expr vector(const NodeContext& n, const std::vector<double>& values, DType dtype) {
  ArrayBuilder data(DType::float_(64), {static_cast<int64_t>(values.size())});
  std::ranges::copy(values, data.as<double>().begin());
  Expr numbers = Constant::make(std::move(data).finish(), n.span);
  return converted(n.builder, numbers, dtype, n.span);
}

/// Returns the numbers that `linspace` gives; like PyTorch, the second half is counted from the end.
std::vector<double> spaced(const NodeContext& n) {
  const double start = n.real("start"), end = n.real("end");
  const int64_t steps = n.integer("steps");
  constexpr int64_t kMost = int64_t{1} << 20;
  if (steps < 0 || steps > kMost) throw UnsupportedUse{"with more than 2^20 steps"};
  const double step = steps > 1 ? (end - start) / static_cast<double>(steps - 1) : 0;
  std::vector<double> out;
  for (int64_t i = 0; i < steps; ++i)
    out.push_back(i < steps / 2 || steps == 1 ? start + step * static_cast<double>(i)
                                              : end - step * static_cast<double>(steps - 1 - i));
  return out;
}
Results linspace(const NodeContext& n) { return vector(n, spaced(n), dtype_of_new(n)); }
Results logspace(const NodeContext& n) {
  const double base = n.real("base", 10.0);
  std::vector<double> values = spaced(n);
  for (double& v : values) v = std::pow(base, v);
  return vector(n, values, dtype_of_new(n));
}

/// Gives the rows and columns of the elements on one side of a diagonal.
template <bool upper>
Results triangle_indices(const NodeContext& n) {
  const int64_t rows = n.integer("row"), columns = n.integer("col"), offset = n.integer("offset", 0);
  constexpr int64_t kMost = int64_t{1} << 20;
  if (rows < 0 || columns < 0 || (rows > 0 && columns > kMost / rows)) throw UnsupportedUse{"of a matrix of this size"};
  std::vector<int64_t> row_of, column_of;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      if (upper ? j - i >= offset : j - i <= offset) row_of.push_back(i), column_of.push_back(j);
  const auto count = static_cast<int64_t>(row_of.size());
  row_of.insert(row_of.end(), column_of.begin(), column_of.end());
  return converted(n.builder, Constant::make(Array::from_ints({2, count}, row_of), n.span), dtype_of_new(n), n.span);
}

/// Converts cosine windows: alpha - beta * cos(2 pi i / n).
Expr cosine_window(const NodeContext& n, double alpha, double beta) {
  const bool periodic = n.boolean("periodic", true);
  auto prim = [](double v) { return PrimValue::make(FloatImm::make(DType::float_(32), v)); };
  return n.call("hamming_window",
                {scalar_operand(n.size("window_length")), PrimValue::make(IntImm::make(DType::bool_(), periodic)),
                 prim(alpha), prim(beta)},
                {{"dtype", dtype_of_new(n)}});
}
Results hann_window(const NodeContext& n) { return cosine_window(n, 0.5, 0.5); }
Results hamming_window(const NodeContext& n) { return cosine_window(n, n.real("alpha", 0.54), n.real("beta", 0.46)); }

void add_new(std::vector<Converter>& rows) {
  const char* becomes = "`R.full`";
  auto add = [&](Convert convert, std::initializer_list<const char*> targets) {
    for (const char* target : targets) rows.push_back({target, convert, becomes});
  };
  add(full, {"aten.full.default"});
  add(full_like, {"aten.full_like.default"});
  add(new_full, {"aten.new_full.default"});
  add(constant<0>,
      {"aten.zeros.default", "aten.empty.memory_format", "aten.empty_strided.default", "aten.empty_permuted.default"});
  add(constant<1>, {"aten.ones.default"});
  add(constant_like<0>, {"aten.zeros_like.default", "aten.empty_like.default"});
  add(constant_like<1>, {"aten.ones_like.default"});
  add(new_constant<0>, {"aten.new_zeros.default", "aten.new_empty.default", "aten.new_empty_strided.default"});
  add(new_constant<1>, {"aten.new_ones.default"});
  add(fill, {"aten.fill.Scalar", "aten.fill.Tensor"});
  add(constant_like<0>, {"aten.zero.default"});
  for (const char* target : {"aten.fill_.Scalar", "aten.fill_.Tensor"})
    rows.push_back({target, fill, becomes, "", Alias::InPlace});
  rows.push_back({"aten.zero_.default", constant_like<0>, becomes, "", Alias::InPlace});
}

}  // namespace

std::vector<Converter> creation_converters() {
  std::vector<Converter> rows;
  add_new(rows);
  rows.push_back({"aten.scalar_tensor.default", scalar_tensor, "a constant"});
  for (const char* target : {"aten.arange.default", "aten.arange.start", "aten.arange.start_step"})
    rows.push_back({target, arange, "`R.arange`"});
  for (const char* target : {"aten.eye.default", "aten.eye.m"}) rows.push_back({target, eye, "`R.eye`"});
  const char* steps_known = "the number of steps must be known";
  rows.push_back({"aten.linspace.default", linspace, "a constant", steps_known});
  rows.push_back({"aten.logspace.default", logspace, "a constant", steps_known});
  rows.push_back({"aten.tril_indices.default", triangle_indices<false>, "a constant", "the sizes must be known"});
  rows.push_back({"aten.triu_indices.default", triangle_indices<true>, "a constant", "the sizes must be known"});
  for (const char* target : {"aten.hann_window.default", "aten.hann_window.periodic"})
    rows.push_back({target, hann_window, "`R.hamming_window`"});
  for (const char* target : {"aten.hamming_window.default", "aten.hamming_window.periodic",
                             "aten.hamming_window.periodic_alpha", "aten.hamming_window.periodic_alpha_beta"})
    rows.push_back({target, hamming_window, "`R.hamming_window`"});
  return rows;
}

}  // namespace sunmao::torch
