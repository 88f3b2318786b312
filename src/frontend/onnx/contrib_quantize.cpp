// Converters of ONNX Runtime's ops on quantised tensors (com.microsoft): the op between dequantisation and
// quantisation, or its integer product.
#include <algorithm>

#include "frontend/onnx/quantize.h"
#include "frontend/onnx/window.h"

namespace sunmao::onnx {
namespace {

/// Each input stands with its scale and its zero point behind it.
Expr input(const NodeContext& n, size_t i) { return dequantized(n, n.tensor(i), i + 1, i + 2); }

Expr result(const NodeContext& n, const Expr& y, size_t scale) {
  return quantized(n, y, scale, scale + 1, dtype_of(n.tensor(0)));
}

template <const char* op>
Results quantised_of_two(const NodeContext& n) {
  return result(n, binary(n, op, input(n, 0), input(n, 3)), 6);
}

Results quantised_sigmoid(const NodeContext& n) { return result(n, n.call("sigmoid", {input(n, 0)}), 3); }

Results quantised_leaky_relu(const NodeContext& n) {
  return result(n, n.call("nn.leakyrelu", {input(n, 0)}, {{"alpha", n.float_attr("alpha", 0.01)}}), 3);
}

Results quantised_softmax(const NodeContext& n) {
  const int64_t rank = n.rank(0), axis = axis_of(n, n.int_attr("axis", -1), rank);
  const Expr x = input(n, 0);
  if (n.int_attr("opset", 13) >= 13) return result(n, n.call("nn.softmax", {x}, {{"axis", axis}}), 3);
  const Expr flat = flattened(n.builder, x, static_cast<size_t>(axis), static_cast<size_t>(rank - 1), n.span);
  return result(n, reshaped(n.builder, n.call("nn.softmax", {flat}, {{"axis", -1}}), n.dims(0), n.span), 3);
}

Results quantised_global_average_pool(const NodeContext& n) {
  const int64_t rank = n.rank(0);
  const bool channels_are_last = n.int_attr("channels_last", 0) != 0;
  const std::vector<int64_t> axes = channels_are_last ? axes_between(1, rank - 1) : axes_between(2, rank);
  return result(n, reduced(n, "mean", input(n, 0), axes), 3);
}

Results quantised_average_pool(const NodeContext& n) {
  if (n.int_attr("channels_last", 0)) throw UnsupportedUse{"with the channels last"};
  const auto size = n.ints_attr("kernel_shape");
  if (!size) n.fail("`kernel_shape` is missing");
  const Window w = read_window(n, *size);
  const Expr mean = n.call(for_axes("nn.avg_pool", w.size.size()), {input(n, 0)},
                           {{"pool_size", AttrValue::ints(w.size)},
                            {"strides", AttrValue::ints(w.strides)},
                            {"padding", AttrValue::ints(w.padding())},
                            {"ceil_mode", n.int_attr("ceil_mode", 0) != 0},
                            {"count_include_pad", n.int_attr("count_include_pad", 0) != 0}});
  return result(n, mean, 3);
}

/// The scale and the zero point of the result stand first.
Results quantised_concat(const NodeContext& n) {
  std::vector<Expr> parts;
  for (size_t i = 2; i + 1 < n.input_count(); i += 3) parts.push_back(input(n, i));
  if (parts.empty()) n.fail("it has no inputs");
  const Expr all = joined(n, std::move(parts), n.int_attr("axis", 0));
  return quantized(n, all, 0, 1, dtype_of(n.tensor(2)));
}

/// Sums and C are integers of the scale a_scale * b_scale; alpha scales the result.
Results quantised_gemm(const NodeContext& n) {
  const auto matrix = [&](const Expr& x, const char* transposes) {
    return n.int_attr(transposes, 0) ? permuted(n.builder, x, {1, 0}, n.span) : x;
  };
  Expr sums = matmul32(n, {matrix(n.tensor(0), "transA"), 2}, {matrix(n.tensor(3), "transB"), 5});
  if (n.has_input(6)) sums = binary(n, "add", sums, n.tensor(6));
  const Expr scale =
      scaled(n.builder, binary(n, "multiply", n.tensor(1), n.tensor(4)), n.float_attr("alpha", 1), n.span);
  const Expr product = binary(n, "multiply", converted(n.builder, sums, dtype_of(scale), n.span), scale);
  return n.has_input(7) ? quantized(n, product, 7, 8, dtype_of(n.tensor(0))) : product;
}

/// The sums of a and b, which may have a scale for each column, as floats.
Results matmul_integer_to_float(const NodeContext& n) {
  const Expr sums = matmul32(n, {n.tensor(0), 4}, {n.tensor(1), 5});
  const Expr scale = binary(n, "multiply", n.tensor(2), n.tensor(3));
  const Expr product = binary(n, "multiply", converted(n.builder, sums, dtype_of(scale), n.span), scale);
  return n.has_input(6) ? binary(n, "add", product, n.tensor(6)) : product;
}

/// Scale and zero point of the left matrix are those of its range; the right one may have them for each column.
Results dynamic_quantize_matmul(const NodeContext& n) {
  const RangeQuantised a = quantized_over_range(n, n.tensor(0));
  const Expr x = n.call("dequantize", {a.values, a.scale, a.zero}, {{"axis", 0}, {"out_dtype", dtype_of(n.tensor(0))}});
  const Expr product = binary(n, "matmul", x, dequantized(n, n.tensor(1), 2, 3, n.rank(1) - 1));
  return n.has_input(4) ? binary(n, "add", product, n.tensor(4)) : product;
}

/// Integers of 16 bits, whose sums are unsigned where both are.
Results matmul_integer16(const NodeContext& n) {
  bool is_unsigned = true;
  for (size_t i : {0, 1}) {
    const DType dtype = dtype_of(n.tensor(i));
    if (dtype != DType::int_(16) && dtype != DType::uint(16))
      n.fail(fmt::format("input {} is of {}, expected int16 or uint16", i == 0 ? "A" : "B", dtype.str()));
    is_unsigned = is_unsigned && dtype.is_uint();
  }
  const DType sums = is_unsigned ? DType::uint(32) : DType::int_(32);
  return matrix_product(n, converted(n.builder, n.tensor(0), sums, n.span),
                        converted(n.builder, n.tensor(1), sums, n.span));
}

constexpr char kQLinearAdd[] = "add", kQLinearMul[] = "multiply";

}  // namespace

std::vector<Converter> contrib_quantize_converters() {
  const char* kBetween = "the op between `R.dequantize` and `R.quantize`";
  return {{"com.microsoft::QLinearAdd", 1, quantised_of_two<kQLinearAdd>, kBetween},
          {"com.microsoft::QLinearMul", 1, quantised_of_two<kQLinearMul>, kBetween},
          {"com.microsoft::QLinearSigmoid", 1, quantised_sigmoid, kBetween},
          {"com.microsoft::QLinearLeakyRelu", 1, quantised_leaky_relu, kBetween},
          {"com.microsoft::QLinearSoftmax", 1, quantised_softmax, kBetween},
          {"com.microsoft::QLinearGlobalAveragePool", 1, quantised_global_average_pool, kBetween},
          {"com.microsoft::QLinearAveragePool", 1, quantised_average_pool, kBetween, "the channels stand second"},
          {"com.microsoft::QLinearConcat", 1, quantised_concat, kBetween},
          {"com.microsoft::QGemm", 1, quantised_gemm, "`R.matmul` in int32, `R.multiply`, `R.quantize`"},
          {"com.microsoft::MatMulInteger16", 1, matmul_integer16, "`R.matmul` in int32 or uint32, of `R.astype`"},
          {"com.microsoft::DynamicQuantizeMatMul", 1, dynamic_quantize_matmul,
           "`R.quantize`, `R.dequantize`, `R.matmul`, `R.min`, `R.max` and elementwise ops"},
          {"com.microsoft::MatMulIntegerToFloat", 1, matmul_integer_to_float, "`R.matmul` in int32, `R.multiply`"}};
}

}  // namespace sunmao::onnx
