#include "tests/random/quantised_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "eval/element.h"
#include "ops/ops.h"

namespace sunmao {
namespace {

constexpr int kExactBits = 24;  // of float32
constexpr double kSteps = 255;  // of bytes

const DType kReal = DType::float_(32), kWide = DType::float_(64), kUnsigned = DType::uint(8), kSigned = DType::int_(8);

Dims dims_of(const Shape64& shape) {
  Dims out;
  for (int64_t n : shape) out.push_back(int_imm(n));
  return out;
}

bool is_power_of_two(double x) {
  int exponent = 0;
  return std::frexp(x, &exponent) == 0.5;
}

Array array_of(DType dtype, const Shape64& shape, const std::vector<double>& values) {
  ArrayBuilder out(dtype, shape);
  for (size_t i = 0; i < values.size(); ++i)
    store_element(
        dtype, out.data(), static_cast<int64_t>(i),
        dtype.is_float() ? round_to(dtype, float_number(values[i])) : int_number(static_cast<int64_t>(values[i])));
  return std::move(out).finish();
}

}  // namespace

Numbers Numbers::checked() const {
  Numbers out = *this;
  if (accuracy == Accuracy::Exact && bound > std::ldexp(1, step + kExactBits)) out.accuracy = Accuracy::Close;
  return out;
}

int64_t NumberTensor::count() const {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

QuantisedWriter::QuantisedWriter(uint64_t seed, QuantisedForm form)
    : s_(seed), form_(form), real_(is_reference() ? kWide : kReal) {
  draw_style();
  b_.begin_dataflow();
}

void QuantisedWriter::draw_style() {
  const size_t kind = s_.below(5);
  const bool is_symmetric = s_.chance(15), is_clamped = s_.chance(40);
  if (kind == 0) style_ = {.name = "onnx", .is_symmetric = is_symmetric, .quantises_all = true};
  if (kind == 1) style_ = {.name = "torch", .is_clamped = is_clamped, .has_real_bias = true};
  if (kind == 2) style_ = {.name = "nncf", .has_real_bias = true, .has_real_weights = true};
  if (kind == 3)
    style_ = {.name = "tensorrt", .is_symmetric = true, .has_real_bias = true, .quantises_data_only = true};
  if (kind == 4) style_ = {.name = "dynamic", .has_real_bias = true, .quantises_data_only = true, .is_dynamic = true};
  style_.has_powers = s_.chance(40) && !style_.is_dynamic;
  style_.is_extreme = s_.chance(20);
  style_.shares_scale = s_.chance(15);
  is_symbolic_ = s_.chance(30);
}

std::pair<int64_t, int64_t> QuantisedWriter::range_of(DType bytes) {
  return bytes == kSigned ? std::pair<int64_t, int64_t>{-128, 127} : std::pair<int64_t, int64_t>{0, 255};
}

Expr QuantisedWriter::call(const std::string& op, std::vector<Expr> args, AttrMap attrs) {
  return b_.emit(Call::make(builtin_ops().get(op), std::move(args), Attrs(std::move(attrs))));
}

Expr QuantisedWriter::constant(DType dtype, const Shape64& shape, const std::vector<double>& values) {
  return Constant::make(array_of(dtype, shape, values));
}

Expr QuantisedWriter::number(double value) {
  const Expr e = constant(kReal, {}, {value});
  return is_reference() ? call("astype", {e}, {{"dtype", kWide}}) : e;
}

Expr QuantisedWriter::reshape(const Expr& x, const Shape64& shape) {
  return call("reshape", {x, ShapeExpr::make(dims_of(shape))});
}

Expr QuantisedWriter::weight(DType dtype, const Shape64& shape, const std::vector<double>& values) {
  const bool is_bound = s_.chance(40);
  if (is_reference() || !is_bound) return constant(dtype, shape, values);
  weights_.push_back(array_of(dtype, shape, values));
  weight_params_.push_back(Var::make(fmt::format("w{}", weights_.size()), TensorType::make(dims_of(shape), dtype)));
  return weight_params_.back();
}

Expr QuantisedWriter::real_weight(const Shape64& shape, const std::vector<double>& values) {
  const Expr w = weight(kReal, shape, values);
  return is_reference() ? call("astype", {w}, {{"dtype", kWide}}) : w;
}

Expr QuantisedWriter::param(DType dtype, const Shape64& shape, const std::vector<bool>& is_free,
                            const std::vector<double>& values) {
  Dims dims = dims_of(shape);
  for (size_t i = 0; i < shape.size(); ++i)
    if (is_symbolic_ && is_free[i] && !is_reference())
      dims[i] = SymVar::make(fmt::format("n{}_{}", params_.size(), i), DType::int_(64));
  inputs_.push_back(array_of(dtype, shape, values));
  params_.push_back(Var::make(fmt::format("x{}", params_.size()), TensorType::make(dims, dtype)));
  return is_reference() && dtype.is_float() ? call("astype", {params_.back()}, {{"dtype", kWide}}) : params_.back();
}

double QuantisedWriter::scale_near(double x) {
  x *= std::ldexp(1, static_cast<int>(s_.between(-1, 1))) * (1 + static_cast<double>(s_.below(1000)) / 1000);
  if (style_.shares_scale && first_scale_ > 0) return first_scale_;
  first_scale_ = static_cast<float>(style_.has_powers ? std::exp2(std::round(std::log2(x))) : x);
  return first_scale_;
}

DType QuantisedWriter::byte_dtype() {
  const bool is_signed = s_.chance(35) && (style_.quantises_all || style_.has_real_weights);
  return is_signed || style_.is_symmetric ? kSigned : kUnsigned;
}

int64_t QuantisedWriter::zero_point(DType dtype) {
  const int64_t drawn = s_.one_of(Shape64{0, 128, 255, s_.between(0, 255)});
  if (style_.is_symmetric) return 0;
  return dtype == kSigned ? drawn - 128 : style_.is_clamped ? drawn / 2 : drawn;
}

// Of extreme bytes most may be the same, so that sums are large.
std::vector<double> QuantisedWriter::bytes(int64_t count, int64_t low, int64_t high) {
  const bool is_one_sided = s_.chance(50), is_high = s_.chance(50);
  std::vector<double> out(static_cast<size_t>(count));
  for (double& x : out) {
    const bool is_any = s_.chance(style_.is_extreme ? 5 : 100), is_most = is_one_sided ? is_high : s_.chance(50);
    x = static_cast<double>(is_any ? s_.between(low, high) : is_most ? high : low);
  }
  return out;
}

QuantisedBytes QuantisedWriter::grid(DType dtype, double scale, int64_t zero) {
  const Shape64 shape = s_.chance(10) ? Shape64{1} : Shape64{};
  return {.values = {},
          .scale = constant(kReal, shape, {scale}),
          .zero = constant(dtype, shape, {static_cast<double>(zero)}),
          .dtype = dtype,
          .scale_value = scale,
          .zero_value = zero};
}

NumberTensor QuantisedWriter::dequantised(const QuantisedBytes& q, const NumberTensor& like) {
  NumberTensor out = like;
  out.numbers = call("dequantize", {q.values, q.scale, q.zero}, {{"axis", int64_t{0}}, {"out_dtype", real_}});
  const bool is_power = q.scale_step < 0 && is_power_of_two(q.scale_value);
  out.known = {.accuracy = is_power ? Accuracy::Exact : Accuracy::Close,
               .step = static_cast<int>(std::floor(std::log2(q.scale_value))),
               .bound = kSteps * q.scale_value,
               .size = kSteps / 3 * q.scale_value};
  out.bytes = q;
  return out;
}

// Appends a step that the compiled graph gives; in the reference a parameter takes its place from there on.
Expr QuantisedWriter::step(QuantisedStep info, const Expr& value, const Expr& real, DType dtype, const Shape64& shape) {
  fed_.push_back(steps_.size());
  steps_.push_back(std::move(info));
  step_values_.push_back(is_reference() ? real : value);
  if (!is_reference()) return value;
  fed_params_.push_back(Var::make(fmt::format("q{}", fed_params_.size()), TensorType::make(dims_of(shape), dtype)));
  return fed_params_.back();
}

QuantisedBytes QuantisedWriter::rounded(const NumberTensor& x, QuantisedBytes q) {
  constexpr int64_t kClamped = 127;
  const auto [low, high] = range_of(q.dtype);
  QuantisedStep info{.text = fmt::format("bytes {}", steps_.size()),
                     .accuracy = x.known.accuracy,
                     .is_rounded = true,
                     .scale = q.scale_value,
                     .zero = q.zero_value,
                     .low = low,
                     .high = style_.is_clamped ? kClamped : high,
                     .scale_step = q.scale_step,
                     .zero_step = q.zero_step};
  if (q.scale_step >= 0 || !is_power_of_two(q.scale_value)) info.accuracy = std::max(info.accuracy, Accuracy::Close);
  Expr value;
  if (!is_reference()) {
    value = call("quantize", {x.numbers, q.scale, q.zero}, {{"axis", int64_t{0}}, {"out_dtype", q.dtype}});
    if (style_.is_clamped) value = call("minimum", {value, constant(q.dtype, {}, {kClamped})});
  }
  q.values = step(std::move(info), value, x.numbers, q.dtype, x.shape);
  return q;
}

NumberTensor QuantisedWriter::requantised(const NumberTensor& x) {
  if (style_.is_dynamic) return requantised_over_range(x);
  const DType dtype = byte_dtype();
  const double scale = scale_near(x.known.size / 60);
  return dequantised(rounded(x, grid(dtype, scale, zero_point(dtype))), x);
}

NumberTensor QuantisedWriter::requantised_like(const NumberTensor& x, const QuantisedBytes& q) {
  return dequantised(rounded(x, q), x);
}

NumberTensor QuantisedWriter::requantised_over_range(const NumberTensor& x) {
  const Expr zero = number(0), least = call("min", {x.numbers}), most = call("max", {x.numbers});
  const Expr low = call("minimum", {least, zero}), high = call("maximum", {most, zero});
  const Expr scale = call("divide", {call("subtract", {high, low}), number(kSteps)});
  const Expr divisor = call("where", {call("equal", {scale, zero}), number(1), scale});
  const Accuracy close = std::max(x.known.accuracy, Accuracy::Close);
  QuantisedBytes q;
  q.dtype = kUnsigned;
  q.scale_value = x.known.size / 60;
  q.scale_step = static_cast<int>(steps_.size());
  q.scale = step({.text = "a scale", .accuracy = close}, divisor, divisor, kReal, {});
  const Expr place = call("negative", {low});
  Expr point;
  if (!is_reference()) {
    point = call("round", {call("divide", {place, q.scale})});
    point = call("astype", {call("minimum", {call("maximum", {point, zero}), number(kSteps)})}, {{"dtype", kUnsigned}});
  }
  q.zero_step = static_cast<int>(steps_.size());
  q.zero = step({.text = "a zero point",
                 .accuracy = close,
                 .is_rounded = true,
                 .high = range_of(kUnsigned).second,
                 .scale_step = q.scale_step},
                point, place, kUnsigned, {});
  has_sums_of_floats_ = true;
  return dequantised(rounded(x, q), x);
}

NumberTensor QuantisedWriter::after_op(NumberTensor x) {
  x.bytes.reset();
  return style_.quantises_data_only ? x : requantised(x);
}

void QuantisedWriter::give(const NumberTensor& x) {
  const bool is_bytes = s_.chance(40) && x.bytes;
  result_steps_.push_back(steps_.size());
  steps_.push_back({.text = is_bytes ? "bytes as a result" : "numbers as a result",
                    .accuracy = is_bytes ? Accuracy::Exact : x.known.accuracy});
  step_values_.push_back(is_bytes ? x.bytes->values : x.numbers);
}

Module QuantisedWriter::finished(QuantisedGraph& out) {
  std::vector<Expr> given = step_values_;
  if (form_ == QuantisedForm::Results) {
    given.clear();
    for (size_t i : result_steps_) given.push_back(step_values_[i]);
  }
  const Expr result = b_.emit_output(Tuple::make(std::move(given)));
  b_.end_dataflow();
  std::vector<Ref<Var>> params = params_;
  params.insert(params.end(), weight_params_.begin(), weight_params_.end());
  params.insert(params.end(), fed_params_.begin(), fed_params_.end());
  AttrMap attrs{{"global_symbol", "main"}};
  if (!is_reference()) attrs["num_input"] = std::ssize(params_);
  if (form_ == QuantisedForm::Every) {
    out.style = style_.name;
    out.inputs = inputs_;
    out.weights = weights_;
    out.steps = steps_;
    out.fed = fed_;
    out.result_steps = result_steps_;
    out.has_sums_of_floats = has_sums_of_floats_;
    out.is_symbolic = is_symbolic_;
  }
  return Module().with_function("main", b_.finish_function(params, result, Attrs(std::move(attrs))));
}

}  // namespace sunmao
