// Converters of quantisation: quantized_decomposed.* and fake quantisation.
#include <algorithm>

#include "frontend/shapes.h"
#include "frontend/torch/integer_limits.h"
#include "frontend/torch/rows.h"

namespace sunmao::torch {
namespace {

/// A scale and a zero point for all elements, or one for each index of `axis`.
struct Grid {
  Expr scale, zero_point;
  int64_t axis = -1;
};

Expr one_value(const NodeContext& n, std::string_view name, DType t) {
  Expr e = tensor_of(n, operand(n, name), t);
  return reshaped(n.builder, e, {}, n.span);
}
Grid grid_of(const NodeContext& n, DType quantized) {
  if (!n.has("axis")) return {one_value(n, "scale", DType::float_(32)), one_value(n, "zero_point", quantized)};
  Expr scales = converted(n.builder, n.tensor("scales"), DType::float_(32), n.span), zeros;
  if (n.has("zero_points"))
    zeros = converted(n.builder, uniform_as_scalar(n.builder, n.tensor("zero_points"), n.span), quantized, n.span);
  else
    zeros = n.constant(quantized, 0);
  return {scales, zeros, n.integer("axis")};
}

/// Limits integers to [quant_min, quant_max] where that is less than all of the dtype.
Expr within_limits(const NodeContext& n, Expr q, const char* low, const char* high) {
  const DType t = dtype_of(q);
  if (n.has(low) && n.real(low) > least_of(t)) q = n.call("maximum", {q, n.constant(t, n.real(low))});
  if (n.has(high) && n.real(high) < greatest_of(t)) q = n.call("minimum", {q, n.constant(t, n.real(high))});
  return q;
}

Results quantize(const NodeContext& n) {
  const DType t = n.dtype("dtype").value_or(n.recorded_dtype());
  const Grid g = grid_of(n, t);
  Expr x = converted(n.builder, n.tensor("input"), DType::float_(32), n.span);
  Expr q = n.call("quantize", {x, g.scale, g.zero_point}, {{"axis", g.axis}, {"out_dtype", t}});
  return t.is_float() ? q : within_limits(n, q, "quant_min", "quant_max");
}
Results dequantize(const NodeContext& n) {
  Expr q = n.tensor("input");
  const Grid g = grid_of(n, dtype_of(q));
  const DType t = n.recorded_dtype().is_void() ? DType::float_(32) : n.recorded_dtype();
  return n.call("dequantize", {q, g.scale, g.zero_point}, {{"axis", g.axis}, {"out_dtype", t}});
}

/// Quantises and dequantises in floats: (limit(round(x / scale) + zero) - zero) * scale. The second output of some
/// overloads says where the limits hold, for the gradient.
Results fake_quantize(const NodeContext& n) {
  Expr x = n.tensor("self");
  const DType t = dtype_of(x);
  auto parameter = [&](std::string_view name) {
    Expr e = tensor_of(n, operand(n, name), t);
    if (!n.has("axis")) return reshaped(n.builder, e, {}, n.span);
    std::vector<Scalar> shape(n.dims(x).size(), int_imm(1));
    const int64_t axis = from_front(n.integer("axis"), n.rank(x), "E0704", n.span);
    shape[static_cast<size_t>(axis)] = n.dims(e).at(0);
    return reshaped(n.builder, e, shape, n.span);
  };
  Expr scale = parameter("scale"), zero = parameter("zero_point");
  Expr inverse = n.call("divide", {n.constant(t, 1), scale});
  Expr free = n.call("add", {n.call("round", {n.call("multiply", {x, inverse})}), zero});
  Expr q = n.call("minimum",
                  {n.call("maximum", {free, n.constant(t, n.real("quant_min"))}), n.constant(t, n.real("quant_max"))});
  Results out{n.call("multiply", {n.call("subtract", {q, zero}), scale})};
  if (n.output_count() > 1) out.values.push_back(n.call("equal", {q, free}));
  return out;
}
/// While `fake_quant_enabled` is not 1, the values stay as they are.
Results fake_quantize_if_enabled(const NodeContext& n) {
  Results out = fake_quantize(n);
  Expr flag = reshaped(n.builder, n.tensor("fake_quant_enabled"), {}, n.span);
  Expr is_on = n.call("equal", {flag, n.constant(dtype_of(flag), 1)});
  out.values[0] = n.call("where", {is_on, out.values[0], n.tensor("self")});
  if (out.values.size() > 1) out.values[1] = n.call("logical_or", {out.values[1], n.call("logical_not", {is_on})});
  return out;
}

}  // namespace

std::vector<Converter> quantize_converters() {
  std::vector<Converter> rows;
  for (const char* target :
       {"quantized_decomposed.quantize_per_tensor.default", "quantized_decomposed.quantize_per_tensor.tensor",
        "quantized_decomposed.quantize_per_channel.default"})
    rows.push_back({target, quantize, "`R.quantize`"});
  for (const char* target :
       {"quantized_decomposed.dequantize_per_tensor.default", "quantized_decomposed.dequantize_per_tensor.tensor",
        "quantized_decomposed.dequantize_per_channel.default"})
    rows.push_back({target, dequantize, "`R.dequantize`"});
  for (const char* target :
       {"aten.fake_quantize_per_tensor_affine.default", "aten.fake_quantize_per_tensor_affine.tensor_qparams",
        "aten.fake_quantize_per_channel_affine.default", "aten.fake_quantize_per_tensor_affine_cachemask.default",
        "aten.fake_quantize_per_channel_affine_cachemask.default"})
    rows.push_back({target, fake_quantize, "`R.round`, `R.maximum`, `R.minimum` and arithmetic"});
  rows.push_back({"aten._fake_quantize_per_tensor_affine_cachemask_tensor_qparams.default", fake_quantize_if_enabled,
                  "`R.round`, `R.maximum`, `R.minimum`, `R.where` and arithmetic"});
  return rows;
}

}  // namespace sunmao::torch
