// Converters of ONNX Runtime's own ops (com.microsoft): products, activations, normalisations. Attention and integers
// stand in files of their own.
#include <algorithm>
#include <numeric>

#include "frontend/onnx/convolution.h"

namespace sunmao::onnx {
namespace {

Expr with_last_bias(const NodeContext& n, size_t input) {
  return n.has_input(input) ? binary(n, "add", n.tensor(0), n.tensor(input)) : n.tensor(0);
}

Results gelu_by_erf(const NodeContext& n) { return n.call("nn.gelu", {n.tensor(0)}); }
Results bias_gelu(const NodeContext& n) { return n.call("nn.gelu", {with_last_bias(n, 1)}); }
Results fast_gelu(const NodeContext& n) { return n.call("nn.gelu_tanh", {with_last_bias(n, 1)}); }
Results quick_gelu(const NodeContext& n) {
  const Expr x = n.tensor(0);
  const Expr gate = n.call("sigmoid", {scaled(n.builder, x, n.float_attr("alpha", 1.702), n.span)});
  return binary(n, "multiply", x, gate);
}

/// An operand of a fused product: its first axis may be the last but one, and its last two axes swapped.
Expr operand(const NodeContext& n, size_t input, const char* moves_batch, const char* transposes) {
  const Expr x = n.tensor(input);
  const int64_t rank = n.rank(input);
  if (rank < 2) return x;
  std::vector<int64_t> axes = axes_between(0, rank);
  if (n.int_attr(moves_batch, 0)) std::rotate(axes.begin(), axes.begin() + 1, axes.end() - 1);
  if (n.int_attr(transposes, 0)) std::swap(axes[axes.size() - 1], axes[axes.size() - 2]);
  return permuted(n.builder, x, axes, n.span);
}

Results fused_matmul(const NodeContext& n) {
  const Expr product =
      matrix_product(n, operand(n, 0, "transBatchA", "transA"), operand(n, 1, "transBatchB", "transB"));
  return scaled(n.builder, product, n.float_attr("alpha", 1), n.span);
}

/// The constants of an activation, which two kinds of ops name differently.
struct Constants {
  double alpha, beta;
};

Expr activated(const NodeContext& n, const Expr& x, Constants c) {
  const std::string name = n.string_attr("activation", "");
  if (name.empty()) return x;
  if (name == "Relu") return n.call("nn.relu", {x});
  if (name == "Tanh") return n.call("tanh", {x});
  if (name == "Sigmoid") return n.call("sigmoid", {x});
  if (name == "LeakyRelu") return n.call("nn.leakyrelu", {x}, {{"alpha", c.alpha}});
  const auto within = [&](const Expr& y, double low, double high) {
    return binary(n, "minimum", binary(n, "maximum", y, low), high);
  };
  if (name == "Clip") return within(x, c.alpha, c.beta);
  if (name == "HardSigmoid") return within(binary(n, "add", scaled(n.builder, x, c.alpha, n.span), c.beta), 0, 1);
  throw UnsupportedUse{"with the activation " + name};
}

Results fused_gemm(const NodeContext& n) {
  const auto matrix = [&](size_t input, const char* transposes) {
    return n.int_attr(transposes, 0) ? permuted(n.builder, n.tensor(input), {1, 0}, n.span) : n.tensor(input);
  };
  Expr out = scaled(n.builder, binary(n, "matmul", matrix(0, "transA"), matrix(1, "transB")), n.float_attr("alpha", 1),
                    n.span);
  if (n.has_input(2)) out = binary(n, "add", out, scaled(n.builder, n.tensor(2), n.float_attr("beta", 1), n.span));
  return activated(n, out, {n.float_attr("activation_alpha", 0.01), n.float_attr("activation_beta", 0)});
}

Results fused_conv(const NodeContext& n) {
  Expr out = convolved(n, n.tensor(0), n.tensor(1), 1);
  if (n.has_input(2)) out = with_bias(n, out, n.tensor(2));
  if (n.has_input(3)) out = binary(n, "add", out, n.tensor(3));
  const std::vector<double> c = n.floats_attr("activation_params").value_or(std::vector<double>{});
  return activated(n, out, {c.empty() ? 0.01 : c[0], c.size() < 2 ? 0 : c[1]});
}

/// Returns unsigned integers of fewer bits, which bytes hold lowest first, one for each element of the last axis.
Expr unpacked(const NodeContext& n, const Expr& x, int64_t bits) {
  if (bits == 8) return x;
  const DType uint8 = DType::uint(8);
  std::vector<Expr> parts;
  for (int64_t shift = 0; shift < 8; shift += bits) {
    const Expr moved = shift == 0 ? x : binary(n, "right_shift", x, static_cast<double>(shift));
    parts.push_back(binary(n, "bitwise_and", moved, integer_constant(uint8, (1 << bits) - 1, n.span)));
  }
  const int64_t rank = rank_of(x);
  const auto each = static_cast<int64_t>(parts.size());
  std::vector<Scalar> size = sizes_of(x);
  if (size.empty()) n.fail("packed integers of rank 0");
  size.back() = n.builder.simplify(size.back() * int_imm(each));
  return reshaped(n.builder, n.call("stack", {tuple_of(n, std::move(parts))}, {{"axis", rank}}), size, n.span);
}

/// Weights are packed integers (rows, blocks, bytes), with a scale and a zero point for each block.
Results matmul_of_bits(const NodeContext& n) {
  const int64_t bits = n.int_attr("bits", 4), block = n.int_attr("block_size", 0), columns = n.int_attr("K", 0),
                rows = n.int_attr("N", 0);
  if (bits != 2 && bits != 4 && bits != 8) throw UnsupportedUse{fmt::format("of {} bits", bits)};
  if (n.has_input(4)) throw UnsupportedUse{"with `g_idx`"};
  if (n.int_attr("weight_prepacked", 0)) throw UnsupportedUse{"with weights packed for a device"};
  for (int64_t size : {block, columns, rows})
    if (size < 1 || size > kLargestSize) n.fail(fmt::format("`block_size`, `K` or `N` is {}", size));
  const DType dtype = dtype_of(n.tensor(0));
  const int64_t blocks = (columns + block - 1) / block, bytes = (blocks * bits + 7) / 8;
  const Expr codes =
      reshaped(n.builder, unpacked(n, n.tensor(1), bits), {int_imm(rows), int_imm(blocks * block)}, n.span);
  const auto first_of = [&](const Expr& x, int64_t count) {
    return sliced(n.builder, x, {{.axis = 1, .begin = int_imm(0), .end = int_imm(count)}}, n.span);
  };
  Expr weight;
  if (n.has_input(3) && dtype_of(n.tensor(3)).is_float()) {
    const std::vector<Scalar> each{int_imm(rows), int_imm(blocks), int_imm(1)};
    const Expr parts = reshaped(n.builder, codes, {int_imm(rows), int_imm(blocks), int_imm(block)}, n.span);
    const Expr above = binary(n, "subtract", converted(n.builder, parts, dtype, n.span),
                              reshaped(n.builder, n.tensor(3), each, n.span));
    weight = binary(n, "multiply", above, reshaped(n.builder, n.tensor(2), each, n.span));
    weight = first_of(reshaped(n.builder, weight, {int_imm(rows), int_imm(blocks * block)}, n.span), columns);
  } else {
    const DType code = DType::uint(static_cast<int>(bits));
    Expr zero = n.constant(code, static_cast<double>(int64_t{1} << (bits - 1)));
    if (n.has_input(3)) {
      const Expr packed = reshaped(n.builder, n.tensor(3), {int_imm(rows), int_imm(bytes)}, n.span);
      zero = converted(n.builder, first_of(unpacked(n, packed, bits), blocks), code, n.span);
    }
    weight = n.call("dequantize",
                    {converted(n.builder, first_of(codes, columns), code, n.span),
                     reshaped(n.builder, n.tensor(2), {int_imm(rows), int_imm(blocks)}, n.span), zero},
                    {{"axis", int64_t{1}}, {"out_dtype", dtype}, {"block_size", block}});
  }
  const Expr product = binary(n, "matmul", n.tensor(0), permuted(n.builder, weight, {1, 0}, n.span));
  return n.has_input(5) ? binary(n, "add", product, n.tensor(5)) : product;
}

/// A normalisation over the last axis, and its statistics where they are asked for.
Results normalised(const NodeContext& n, const Expr& x, const Expr& gamma, const Expr& beta) {
  const double epsilon = n.float_attr("epsilon", 1e-12);
  const AttrMap attrs{{"axes", AttrValue::ints({-1})}, {"epsilon", epsilon}};
  AttrMap layer = attrs;
  layer["center"] = static_cast<bool>(beta);
  const Expr y = n.call("nn.layer_norm", {x, gamma, beta ? beta : gamma}, std::move(layer));
  if (!n.has_output(1) && !n.has_output(2)) return {y, y, y};
  return {y, reduced(n, "mean", x, {-1}),
          n.call("rsqrt", {binary(n, "add", reduced(n, "variance", x, {-1}), epsilon)})};
}

Expr root_normalised(const NodeContext& n, const Expr& x, const Expr& gamma, double epsilon) {
  return n.call("nn.rms_norm", {x, gamma}, {{"axes", AttrValue::ints({-1})}, {"epsilon", epsilon}});
}

/// The sum of input and skip, which may lack the batch.
Expr skip_sum(const NodeContext& n, size_t bias) {
  const Expr sum = binary(n, "add", n.tensor(0), n.tensor(1));
  return n.has_input(bias) ? binary(n, "add", sum, n.tensor(bias)) : sum;
}

Results skip_layer_normalization(const NodeContext& n) {
  const Expr sum = skip_sum(n, 4);
  Results results = normalised(n, sum, n.tensor(2), n.tensor_or(3, Expr()));
  results.values.push_back(sum);
  return results;
}

Results skip_simplified_layer_normalization(const NodeContext& n) {
  if (n.has_output(1) || n.has_output(2)) throw UnsupportedUse{"with statistics as outputs"};
  const Expr sum = skip_sum(n, 3);
  const Expr y = root_normalised(n, sum, n.tensor(2), n.float_attr("epsilon", 1e-12));
  return {y, y, y, sum};
}

/// It stands in ONNX's own domain, though ONNX Runtime defines it.
Results simplified_layer_normalization(const NodeContext& n) {
  const int64_t rank = n.rank(0), axis = axis_of(n, n.int_attr("axis", -1), rank);
  if (axis != rank - 1) throw UnsupportedUse{"over more than the last axis"};
  const double epsilon = n.float_attr("epsilon", 1e-5);
  const Expr x = n.tensor(0), y = root_normalised(n, x, n.tensor(1), epsilon);
  if (!n.has_output(1)) return y;
  const Expr mean = reduced(n, "mean", n.call("square", {converted(n.builder, x, DType::float_(32), n.span)}), {-1});
  return {y, n.call("rsqrt", {binary(n, "add", mean, epsilon)})};
}

/// The sum of the embeddings of words, places and segments, normalised; and how many words are not masked.
Results embed_layer_normalization(const NodeContext& n) {
  const auto rows = [&](size_t table, const Expr& places) {
    return n.call("take", {n.tensor(table), places}, {{"axis", 0}});
  };
  require_rank(n, 0, 2);
  const Scalar length = n.dims(0).at(1);
  const Expr places = n.has_input(8) ? n.tensor(8) : places_along(n, length, DType::int_(64), 1, 2);
  const Expr words = binary(n, "add", rows(2, n.tensor(0)), rows(3, places));
  const Expr sum = n.has_input(1) && n.has_input(4) ? binary(n, "add", words, rows(4, n.tensor(1))) : words;
  Results results = normalised(n, sum, n.tensor(5), n.tensor(6));
  const DType int32 = DType::int_(32);
  const Expr count = n.has_input(7)
                         ? n.call("sum", {n.tensor(7)}, {{"axis", AttrValue::ints({1})}, {"keepdims", false}})
                         : n.call("zeros", {ShapeExpr::make({n.dims(0).at(0)}, n.span)}, {{"dtype", int32}});
  return {results.values[0], count, sum};
}

Results inverse(const NodeContext& n) { return n.call("linalg.inverse", {n.tensor(0)}); }

}  // namespace

std::vector<Converter> contrib_converters() {
  const char* kNorm = "`R.nn.layer_norm`, `R.add`";
  return {
      {"com.microsoft::Gelu", 1, gelu_by_erf, "`R.nn.gelu`"},
      {"com.microsoft::BiasGelu", 1, in_float32<bias_gelu>, "`R.add`, `R.nn.gelu`"},
      {"com.microsoft::FastGelu", 1, in_float32<fast_gelu>, "`R.add`, `R.nn.gelu_tanh`"},
      {"com.microsoft::QuickGelu", 1, in_float32<quick_gelu>, "`R.sigmoid`, `R.multiply`"},
      {"com.microsoft::FusedMatMul", 1, fused_matmul, "`R.permute_dims`, `R.matmul`, `R.multiply`"},
      {"com.microsoft::TransposeMatMul", 1, fused_matmul, "as `FusedMatMul`"},
      {"com.microsoft::FusedGemm", 1, fused_gemm, "`R.matmul`, `R.add` and the activation"},
      {"com.microsoft::FusedConv", 1, fused_conv, "`R.nn.conv2d` and its kin, `R.add` and the activation"},
      {"com.microsoft::MatMulNBits", 1, matmul_of_bits,
       "`R.matmul`, `R.dequantize` of `R.bitwise_and`, `R.right_shift`", "without `g_idx`"},
      {"com.microsoft::SkipLayerNormalization", 1, in_float32<skip_layer_normalization>, kNorm},
      {"com.microsoft::SkipSimplifiedLayerNormalization", 1, skip_simplified_layer_normalization,
       "`R.nn.rms_norm`, `R.add`"},
      {"SimplifiedLayerNormalization", 1, simplified_layer_normalization, "`R.nn.rms_norm`", "over the last axis"},
      {"com.microsoft::EmbedLayerNormalization", 1, embed_layer_normalization, "`R.take`, `R.add`, `R.nn.layer_norm`"},
      {"com.microsoft::Inverse", 1, inverse, "`R.linalg.inverse`"}};
}

}  // namespace sunmao::onnx
