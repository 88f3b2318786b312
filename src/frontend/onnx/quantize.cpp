// Converters of quantisation: QuantizeLinear, DequantizeLinear, and integer products.
#include "frontend/onnx/quantize.h"

#include <algorithm>
#include <utility>

#include "frontend/onnx/convolution.h"
#include "frontend/onnx/tensors.h"

namespace sunmao::onnx {
namespace {

Expr zero_point(const NodeContext& n, size_t zero, DType dtype) { return n.tensor_or(zero, n.constant(dtype, 0)); }

/// A single number may be a vector of one element.
bool is_single(const Expr& x) {
  const std::vector<Scalar>* dims = dims_of(x);
  return dims && std::ranges::all_of(*dims, [](const Scalar& d) { return find_int(d) && *find_int(d) == 1; });
}

/// Returns a parameter whose elements lie along one axis of a tensor of rank `rank`.
Expr along_axis(const NodeContext& n, const Expr& parameter, int64_t axis, int64_t rank) {
  if (is_single(parameter)) return reshaped(n.builder, parameter, {}, n.span);
  if (rank_of(parameter) != 1) return parameter;
  std::vector<int64_t> others;
  for (int64_t i = 0; i < rank; ++i)
    if (i != axis) others.push_back(i);
  return with_axes(n.builder, parameter, others, n.span);
}

/// False where a zero point is left out, or known to be 0.
bool has_zero_point(const NodeContext& n, size_t zero) {
  if (!n.has_input(zero)) return false;
  if (!n.builder.data(n.tensor(zero))) return true;
  return std::ranges::any_of(n.numbers(zero, "zero points"), [](double v) { return v != 0; });
}

bool are_bytes(const Expr& x) { return dtype_of(x).is_integral() && dtype_of(x).bits == 8; }

Expr as_int32(const NodeContext& n, const Expr& x) { return converted(n.builder, x, DType::int_(32), n.span); }

}  // namespace

Expr dequantized(const NodeContext& n, const Expr& x, size_t scale, size_t zero, int64_t axis) {
  const Expr factor = n.tensor(scale);
  return n.call("dequantize", {x, factor, zero_point(n, zero, dtype_of(x))},
                {{"axis", axis}, {"out_dtype", dtype_of(factor)}});
}

Expr quantized(const NodeContext& n, const Expr& x, size_t scale, size_t zero, DType dtype, int64_t axis) {
  const Expr point = zero_point(n, zero, dtype);
  return n.call("quantize", {x, n.tensor(scale), point}, {{"axis", axis}, {"out_dtype", dtype_of(point)}});
}

Expr centred(const NodeContext& n, const Expr& x, size_t zero, int64_t axis) {
  if (!has_zero_point(n, zero)) return x;
  const Expr point = n.tensor(zero);
  const DType wide = DType::int_(16);
  return binary(n, "subtract", converted(n.builder, x, wide, n.span),
                converted(n.builder, along_axis(n, point, axis, rank_of(x)), wide, n.span));
}

// Nothing is divided by a scale of 0.
RangeQuantised quantized_over_range(const NodeContext& n, const Expr& x) {
  constexpr double kSteps = 255;
  const Expr low = binary(n, "minimum", n.call("min", {x}), 0), high = binary(n, "maximum", n.call("max", {x}), 0);
  const Expr scale = binary(n, "divide", binary(n, "subtract", high, low), kSteps);
  const Expr divisor = chosen(n, binary(n, "equal", scale, 0), n.constant(dtype_of(x), 1), scale);
  const Expr place = n.call("round", {binary(n, "divide", n.call("negative", {low}), divisor)});
  const DType uint8 = DType::uint(8);
  const Expr zero = converted(n.builder, binary(n, "minimum", binary(n, "maximum", place, 0), kSteps), uint8, n.span);
  return {.values = n.call("quantize", {x, divisor, zero}, {{"axis", 0}, {"out_dtype", uint8}}),
          .scale = scale,
          .zero = zero};
}

// The operands stay bytes: (x - a)(w - b) = x w - x b - a (w - b), where b is the same along the steps, as a is, so
// that the last two products are sums along the steps. What follows from weights alone is computed ahead of time.
Expr matmul32(const NodeContext& n, const QuantisedMatrix& a, const QuantisedMatrix& b) {
  const int64_t row_axis = rank_of(a.x) - 2, column_axis = rank_of(b.x) - 1;
  const auto product = [&](const Expr& x, const Expr& y) {
    return matrix_product(n, x, y, {{"out_dtype", DType::int_(32)}});
  };
  if (!are_bytes(a.x) || !are_bytes(b.x) || row_axis < 0 || column_axis < 1)
    return product(centred(n, a.x, a.zero, row_axis), centred(n, b.x, b.zero, column_axis));
  Expr sums = product(a.x, b.x);
  const auto take = [&](size_t zero, int64_t axis, const Expr& along, const Expr& others, int64_t step_axis) {
    const Expr points = as_int32(n, along_axis(n, n.tensor(zero), axis, rank_of(along)));
    sums =
        binary(n, "subtract", sums, binary(n, "multiply", points, reduced(n, "sum", as_int32(n, others), {step_axis})));
  };
  if (has_zero_point(n, b.zero)) take(b.zero, column_axis, b.x, a.x, rank_of(a.x) - 1);
  if (has_zero_point(n, a.zero)) take(a.zero, row_axis, a.x, centred(n, b.x, b.zero, column_axis), rank_of(b.x) - 2);
  return sums;
}

namespace {

/// The dtype of the result: that of the zero point, or the one that the attribute names, or uint8.
DType quantized_dtype(const NodeContext& n) {
  const int64_t type = n.int_attr("output_dtype", 0);
  const DType stated = type == 0 ? DType::void_() : dtype_of_element(type);
  if (n.has_input(2)) {
    const DType dtype = dtype_of(n.tensor(2));
    if (type != 0 && stated != dtype)
      n.fail(fmt::format("`output_dtype` is {}, it must match the zero-point dtype {}", name_of_element(type),
                         dtype.str()));
    return dtype;
  }
  if (type == 0) return DType::uint(8);
  if (stated.is_void()) throw UnsupportedUse{"to " + name_of_element(type)};
  return stated;
}

/// The attribute names the dtype in which the quotient is computed: that of the scale, or float32.
void check_precision(const NodeContext& n) {
  const int64_t type = n.int_attr("precision", 0);
  const DType dtype = dtype_of_element(type);
  if (type != 0 && dtype != dtype_of(n.tensor(1)) && dtype != DType::float_(32))
    throw UnsupportedUse{"with a precision attribute of " + name_of_element(type)};
}

DType dequantized_dtype(const NodeContext& n) {
  const DType dtype = dtype_of_element(n.int_attr("output_dtype", 0));
  return dtype.is_void() ? dtype_of(n.tensor(1)) : dtype;
}

bool has_blocks(const NodeContext& n) {
  return n.int_attr("block_size", 0) > 0 && n.rank(1) == n.rank(0) && n.rank(0) > 1;
}

int64_t axis_of_scales(const NodeContext& n) {
  const int64_t rank = n.rank(0), axis = n.int_attr("axis", 1);
  const bool is_unused = n.rank(1) == 0 || is_single(n.tensor(1));
  if (is_unused && (axis < -rank || axis >= rank)) return 0;  // such as the default, of a vector
  return axis_of(n, axis, rank);
}

/// A scale of one element is a number, whatever its rank.
Expr scale_of(const NodeContext& n, const Expr& x) { return is_single(x) ? reshaped(n.builder, x, {}, n.span) : x; }

/// Zero points that are all the same are a number.
Expr zero_of(const NodeContext& n, DType dtype) {
  return n.has_input(2) ? scale_of(n, uniform_as_scalar(n.builder, n.tensor(2), n.span)) : n.constant(dtype, 0);
}

/// The scales of blocks, where there are some, have the rank of the data.
AttrMap with_blocks(const NodeContext& n, DType out) {
  if (!has_blocks(n)) return {{"axis", axis_of_scales(n)}, {"out_dtype", out}};
  return {{"axis", axis_of(n, n.int_attr("axis", 1), n.rank(0))},
          {"out_dtype", out},
          {"block_size", n.int_attr("block_size", 0)}};
}

Results quantize_linear(const NodeContext& n) {
  const DType dtype = quantized_dtype(n);
  if (dtype.is_float() && n.int_attr("saturate", 1) == 0) throw UnsupportedUse{"with saturate=0"};
  check_precision(n);
  Expr x = n.tensor(0);
  if (!dtype_of(x).is_float()) x = converted(n.builder, x, DType::float_(32), n.span);
  return n.call("quantize", {x, scale_of(n, n.tensor(1)), zero_of(n, dtype)}, with_blocks(n, dtype));
}

Results dequantize_linear(const NodeContext& n) {
  const Expr x = n.tensor(0);
  const DType dtype = dequantized_dtype(n);
  return n.call("dequantize", {x, scale_of(n, n.tensor(1)), zero_of(n, dtype_of(x))}, with_blocks(n, dtype));
}

Results dynamic_quantize_linear(const NodeContext& n) {
  const RangeQuantised y = quantized_over_range(n, n.tensor(0));
  return {y.values, y.scale, y.zero};
}

Results matmul_integer(const NodeContext& n) { return matmul32(n, {n.tensor(0), 2}, {n.tensor(1), 3}); }

/// Returns x with `value` around it, which the window then does not add.
Expr surrounded(const NodeContext& n, const Expr& x, Window& window, double value) {
  std::vector<int64_t> widths(4, 0);
  for (size_t i = 0; i < window.size.size(); ++i) {
    widths.push_back(std::exchange(window.before[i], 0));
    widths.push_back(std::exchange(window.behind[i], 0));
  }
  if (std::ranges::all_of(widths, [](int64_t w) { return w == 0; })) return x;
  return n.call("nn.pad", {x}, {{"pad_width", AttrValue::ints(widths)}, {"pad_value", value}});
}

/// Returns the convolution less zero points in int32. With one known zero point a, bytes stay bytes: (x - a) w = x w -
/// a w, where x has a around it, so that the last product is a sum.
Expr conv32(const NodeContext& n, size_t zero, size_t weight_input, size_t weight_zero) {
  const Expr x = n.tensor(0), weight = n.tensor(weight_input);
  const DType int32 = DType::int_(32);
  const bool is_known = has_zero_point(n, zero) && is_single(n.tensor(zero)) && n.builder.data(n.tensor(zero));
  if (!is_known || !are_bytes(x) || !are_bytes(weight) || has_zero_point(n, weight_zero))
    return convolved(n, centred(n, x, zero, 0), centred(n, weight, weight_zero, 0), weight_input, int32);
  const double point = n.numbers(zero, "zero points").at(0);
  Window window = read_window(n, kernel_sizes(n, weight_input));
  const Expr around = surrounded(n, x, window, point);
  const Expr channels = n.call("sum", {as_int32(n, weight)},
                               {{"axis", AttrValue::ints(axes_between(1, rank_of(weight)))}, {"keepdims", false}});
  return with_bias(n, convolved(n, around, weight, window, int32), binary(n, "multiply", channels, -point));
}

Results conv_integer(const NodeContext& n) { return conv32(n, 2, 1, 3); }

/// Returns the product of two scales, each along its axis of a result of rank `rank`.
Expr common_scale(const NodeContext& n, const Expr& a, int64_t a_axis, const Expr& b, int64_t b_axis, int64_t rank) {
  return binary(n, "multiply", along_axis(n, a, a_axis, rank), along_axis(n, b, b_axis, rank));
}

Results qlinear_matmul(const NodeContext& n) {
  const int64_t rank = std::max(n.rank(0), n.rank(3));
  const Expr sums = matmul32(n, {n.tensor(0), 2}, {n.tensor(3), 5});
  const Expr scale = common_scale(n, n.tensor(1), rank - 2, n.tensor(4), rank - 1, rank);
  const Expr product = binary(n, "multiply", converted(n.builder, sums, dtype_of(scale), n.span), scale);
  const Expr zero = scale_of(n, n.tensor(7));
  return n.call("quantize", {product, scale_of(n, n.tensor(6)), zero}, {{"axis", 0}, {"out_dtype", dtype_of(zero)}});
}

/// Sums and bias are integers of the scale x_scale * w_scale.
Results qlinear_conv(const NodeContext& n) {
  const int64_t rank = n.rank(0);
  Expr sums = conv32(n, 2, 3, 5);
  if (n.has_input(8)) sums = with_bias(n, sums, n.tensor(8));
  const Expr scale = common_scale(n, n.tensor(1), 1, n.tensor(4), 1, rank);
  const Expr product = binary(n, "multiply", converted(n.builder, sums, dtype_of(scale), n.span), scale);
  const Expr zero = scale_of(n, n.tensor(7));
  return n.call("quantize", {product, scale_of(n, n.tensor(6)), zero}, {{"axis", 0}, {"out_dtype", dtype_of(zero)}});
}

}  // namespace

std::vector<Converter> quantize_converters() {
  const char* kLimits = "without saturation only to integers; no precision of 16 bits under a wider scale";
  return {{"QuantizeLinear", 10, quantize_linear, "`R.quantize`", kLimits},
          {"DequantizeLinear", 10, dequantize_linear, "`R.dequantize`"},
          {"com.microsoft::QuantizeLinear", 1, quantize_linear, "as `QuantizeLinear`", kLimits},
          {"com.microsoft::DequantizeLinear", 1, dequantize_linear, "as `DequantizeLinear`"},
          {"DynamicQuantizeLinear", 11, dynamic_quantize_linear, "`R.quantize`, `R.min`, `R.max` and elementwise ops"},
          {"MatMulInteger", 10, matmul_integer, "`R.matmul` in int32, less products of zero points and `R.sum`"},
          {"ConvInteger", 10, conv_integer, "`R.nn.conv2d` and its kin in int32, less a zero point times `R.sum`"},
          {"QLinearMatMul", 10, qlinear_matmul, "as `MatMulInteger`, then `R.multiply`, `R.quantize`"},
          {"QLinearConv", 10, qlinear_conv, "as `ConvInteger`, then `R.add`, `R.multiply`, `R.quantize`"}};
}

}  // namespace sunmao::onnx
