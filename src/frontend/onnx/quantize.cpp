// Converters of quantisation: QuantizeLinear, DequantizeLinear, and integer products.
#include "frontend/onnx/quantize.h"

#include <algorithm>

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
  if (!n.has_input(zero)) return x;
  const Expr point = n.tensor(zero);
  if (n.builder.data(point)) {
    const std::vector<double> values = n.numbers(zero, "zero points");
    if (std::ranges::all_of(values, [](double v) { return v == 0; })) return x;
  }
  const DType wide = DType::int_(16);
  return binary(n, "subtract", converted(n.builder, x, wide, n.span),
                converted(n.builder, along_axis(n, point, axis, rank_of(x)), wide, n.span));
}

namespace {

/// The dtype of the result: that of the zero point, or the one that the attribute names, or uint8.
DType quantized_dtype(const NodeContext& n) {
  if (n.has_input(2)) return dtype_of(n.tensor(2));
  const int64_t type = n.int_attr("output_dtype", 0);
  if (type == 0) return DType::uint(8);
  const DType dtype = dtype_of_element(type);
  if (dtype.is_void()) throw UnsupportedUse{"to " + name_of_element(type)};
  return dtype;
}

DType dequantized_dtype(const NodeContext& n) {
  const DType dtype = dtype_of_element(n.int_attr("output_dtype", 0));
  return dtype.is_void() ? dtype_of(n.tensor(1)) : dtype;
}

/// Returns a parameter that blocks of an axis share, for each element of the axis.
Expr of_blocks(const NodeContext& n, const Expr& parameter, int64_t axis) {
  const Scalar& size = n.dims(0).at(static_cast<size_t>(axis));
  const Expr all = n.call("repeat", {parameter}, {{"repeats", n.int_attr("block_size", 0)}, {"axis", axis}});
  return sliced(n.builder, all, {{.axis = axis, .begin = int_imm(0), .end = size}}, n.span);
}

bool has_blocks(const NodeContext& n) {
  return n.int_attr("block_size", 0) > 0 && n.rank(1) == n.rank(0) && n.rank(0) > 1;
}

int64_t axis_of_scales(const NodeContext& n) {
  const int64_t rank = n.rank(0), axis = n.int_attr("axis", 1);
  return n.rank(1) == 0 || is_single(n.tensor(1)) ? 0 : axis_of(n, axis, rank);
}

/// A scale of one element is a number, whatever its rank.
Expr scale_of(const NodeContext& n, const Expr& x) { return is_single(x) ? reshaped(n.builder, x, {}, n.span) : x; }

Results quantize_blocks(const NodeContext& n, DType dtype) {
  const int64_t axis = axis_of(n, n.int_attr("axis", 1), n.rank(0));
  if (!dtype.is_integral() || dtype.bits > 16) throw UnsupportedUse{"of blocks to " + dtype.str()};
  const Expr ratio = n.call("round", {binary(n, "divide", n.tensor(0), of_blocks(n, n.tensor(1), axis))});
  Expr sum = converted(n.builder, ratio, DType::float_(32), n.span);
  if (n.has_input(2))
    sum = binary(n, "add", sum, converted(n.builder, of_blocks(n, n.tensor(2), axis), DType::float_(32), n.span));
  const int bits = dtype.bits - (dtype.is_int() ? 1 : 0);
  const double high = static_cast<double>((int64_t{1} << bits) - 1), low = dtype.is_int() ? -high - 1 : 0;
  return converted(n.builder, binary(n, "minimum", binary(n, "maximum", sum, low), high), dtype, n.span);
}

Results quantize_linear(const NodeContext& n) {
  const DType dtype = quantized_dtype(n);
  if (has_blocks(n)) return quantize_blocks(n, dtype);
  if (dtype.is_float() && n.int_attr("saturate", 1) == 0) throw UnsupportedUse{"without saturation"};
  Expr x = n.tensor(0);
  if (!dtype_of(x).is_float()) x = converted(n.builder, x, DType::float_(32), n.span);
  const Expr zero = n.has_input(2) ? scale_of(n, n.tensor(2)) : n.constant(dtype, 0);
  return n.call("quantize", {x, scale_of(n, n.tensor(1)), zero}, {{"axis", axis_of_scales(n)}, {"out_dtype", dtype}});
}

Results dequantize_linear(const NodeContext& n) {
  const Expr x = n.tensor(0);
  const DType dtype = dequantized_dtype(n);
  if (has_blocks(n)) {
    const int64_t axis = axis_of(n, n.int_attr("axis", 1), n.rank(0));
    Expr value = converted(n.builder, x, dtype, n.span);
    if (n.has_input(2))
      value = binary(n, "subtract", value, converted(n.builder, of_blocks(n, n.tensor(2), axis), dtype, n.span));
    return binary(n, "multiply", value, converted(n.builder, of_blocks(n, n.tensor(1), axis), dtype, n.span));
  }
  const Expr zero = n.has_input(2) ? scale_of(n, n.tensor(2)) : n.constant(dtype_of(x), 0);
  return n.call("dequantize", {x, scale_of(n, n.tensor(1)), zero}, {{"axis", axis_of_scales(n)}, {"out_dtype", dtype}});
}

/// The range has 0 in it. A range of 0 alone has the scale 0, by which nothing is divided.
Results dynamic_quantize_linear(const NodeContext& n) {
  const Expr x = n.tensor(0);
  constexpr double kSteps = 255;
  const Expr low = binary(n, "minimum", n.call("min", {x}), 0), high = binary(n, "maximum", n.call("max", {x}), 0);
  const Expr scale = binary(n, "divide", binary(n, "subtract", high, low), kSteps);
  const Expr divisor = chosen(n, binary(n, "equal", scale, 0), n.constant(dtype_of(x), 1), scale);
  const Expr place = n.call("round", {binary(n, "divide", n.call("negative", {low}), divisor)});
  const DType uint8 = DType::uint(8);
  const Expr zero = converted(n.builder, binary(n, "minimum", binary(n, "maximum", place, 0), kSteps), uint8, n.span);
  return {n.call("quantize", {x, divisor, zero}, {{"axis", 0}, {"out_dtype", uint8}}), scale, zero};
}

/// Zero points of the left side lie along its rows, those of the right side along its columns.
Results matmul_integer(const NodeContext& n) {
  return matmul32(n, centred(n, n.tensor(0), 2, n.rank(0) - 2), centred(n, n.tensor(1), 3, n.rank(1) - 1));
}

Expr conv32(const NodeContext& n, const Expr& x, const Expr& weight, size_t weight_input) {
  return int32_product(n, x, weight,
                       [&](const Expr& a, const Expr& b) { return convolved(n, a, b, weight_input, DType::int_(32)); });
}

Results conv_integer(const NodeContext& n) {
  return conv32(n, centred(n, n.tensor(0), 2, 0), centred(n, n.tensor(1), 3, 0), 1);
}

/// Returns the product of two scales, each along its axis of a result of rank `rank`.
Expr common_scale(const NodeContext& n, const Expr& a, int64_t a_axis, const Expr& b, int64_t b_axis, int64_t rank) {
  return binary(n, "multiply", along_axis(n, a, a_axis, rank), along_axis(n, b, b_axis, rank));
}

Results qlinear_matmul(const NodeContext& n) {
  const int64_t rank = std::max(n.rank(0), n.rank(3));
  const Expr sums = matmul32(n, centred(n, n.tensor(0), 2, n.rank(0) - 2), centred(n, n.tensor(3), 5, n.rank(3) - 1));
  const Expr scale = common_scale(n, n.tensor(1), rank - 2, n.tensor(4), rank - 1, rank);
  const Expr product = binary(n, "multiply", converted(n.builder, sums, dtype_of(scale), n.span), scale);
  const Expr zero = scale_of(n, n.tensor(7));
  return n.call("quantize", {product, scale_of(n, n.tensor(6)), zero}, {{"axis", 0}, {"out_dtype", dtype_of(zero)}});
}

/// Sums and bias are integers of the scale x_scale * w_scale.
Results qlinear_conv(const NodeContext& n) {
  const int64_t rank = n.rank(0);
  Expr sums = conv32(n, centred(n, n.tensor(0), 2, 0), centred(n, n.tensor(3), 5, 0), 3);
  if (n.has_input(8)) sums = with_bias(n, sums, n.tensor(8));
  const Expr scale = common_scale(n, n.tensor(1), 1, n.tensor(4), 1, rank);
  const Expr product = binary(n, "multiply", converted(n.builder, sums, dtype_of(scale), n.span), scale);
  const Expr zero = scale_of(n, n.tensor(7));
  return n.call("quantize", {product, scale_of(n, n.tensor(6)), zero}, {{"axis", 0}, {"out_dtype", dtype_of(zero)}});
}

}  // namespace

std::vector<Converter> quantize_converters() {
  const char* kFloat8 = "without saturation only to integers";
  return {{"QuantizeLinear", 10, quantize_linear, "`R.quantize`; of blocks `R.repeat` and elementwise ops", kFloat8},
          {"DequantizeLinear", 10, dequantize_linear, "`R.dequantize`; of blocks `R.repeat` and elementwise ops"},
          {"com.microsoft::QuantizeLinear", 1, quantize_linear, "as `QuantizeLinear`", kFloat8},
          {"com.microsoft::DequantizeLinear", 1, dequantize_linear, "as `DequantizeLinear`"},
          {"DynamicQuantizeLinear", 11, dynamic_quantize_linear, "`R.quantize`, `R.min`, `R.max` and elementwise ops"},
          {"MatMulInteger", 10, matmul_integer, "`R.matmul` in int32, of `R.subtract`"},
          {"ConvInteger", 10, conv_integer, "`R.nn.conv2d` and its kin in int32, of `R.subtract`"},
          {"QLinearMatMul", 10, qlinear_matmul, "`R.matmul` in int32, of `R.subtract`, `R.multiply`, `R.quantize`"},
          {"QLinearConv", 10, qlinear_conv,
           "`R.nn.conv2d` and its kin in int32, of `R.subtract`, `R.add`, `R.multiply`, `R.quantize`"}};
}

}  // namespace sunmao::onnx
