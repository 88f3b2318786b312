// Converters of quantisation whose scales follow from the data, and of torchao's ops, whose scales are those of blocks.
#include <algorithm>
#include <cmath>

#include "frontend/shapes.h"
#include "frontend/torch/integer_limits.h"
#include "frontend/torch/rows.h"
#include "sym/walk.h"

namespace sunmao::torch {
namespace {

/// The lowest and the highest number of what one scale is for; neither leaves out 0.
struct Range {
  Expr low, high;
};
/// The integers that stand for numbers.
struct Codes {
  double least, greatest;
  double steps() const { return greatest - least; }
};

Range range_of(const NodeContext& n, const Expr& x, const AttrMap& axes = {}) {
  const Expr zero = n.constant(dtype_of(x), 0);
  return {n.call("minimum", {n.call("min", {x}, axes), zero}), n.call("maximum", {n.call("max", {x}, axes), zero})};
}

Expr divided(const NodeContext& n, const Expr& x, double by) {
  return n.call("divide", {x, n.constant(dtype_of(x), by)});
}
Expr at_least(const NodeContext& n, const Expr& x, double low) {
  return n.call("maximum", {x, n.constant(dtype_of(x), low)});
}
Expr within(const NodeContext& n, const Expr& x, const Codes& codes) {
  return n.call("minimum", {at_least(n, x, codes.least), n.constant(dtype_of(x), codes.greatest)});
}

/// The scale of steps over the whole range, and over the farther side of 0 in both directions.
Expr asymmetric_scale(const NodeContext& n, const Range& r, const Codes& codes, double least) {
  return at_least(n, divided(n, n.call("subtract", {r.high, r.low}), codes.steps()), least);
}
Expr symmetric_scale(const NodeContext& n, const Range& r, const Codes& codes, double least) {
  const Expr farther = n.call("maximum", {n.call("negative", {r.low}), r.high});
  return at_least(n, divided(n, farther, codes.steps() / 2), least);
}
/// The integer, as a float, that stands for 0.
Expr zero_of(const NodeContext& n, const Range& r, const Expr& scale, const Codes& codes) {
  const Expr steps = n.call("round", {n.call("divide", {r.low, scale})});
  return within(n, n.call("subtract", {n.constant(dtype_of(scale), codes.least), steps}), codes);
}

/// Returns scale and zero point in the dtypes that the exporter recorded.
Results recorded(const NodeContext& n, const Expr& scale, const Expr& zero, const std::vector<Scalar>& shape) {
  const auto result = [&](const Expr& x, size_t i, DType otherwise) {
    const DType t = n.recorded_dtype(i).is_void() ? otherwise : n.recorded_dtype(i);
    return reshaped(n.builder, converted(n.builder, x, t, n.span), shape, n.span);
  };
  return {result(scale, 0, DType::float_(32)), result(zero, 1, DType::int_(64))};
}

template <bool is_symmetric>
Results choose_for_tensor(const NodeContext& n) {
  const Expr x = converted(n.builder, n.tensor("input"), DType::float_(32), n.span);
  const Codes codes{n.real("quant_min"), n.real("quant_max")};
  const Range r = range_of(n, x);
  if constexpr (is_symmetric) {
    constexpr double kMiddle = 128;  // of uint8
    const bool is_unsigned = n.dtype("dtype") == DType::uint(8);
    return recorded(n, symmetric_scale(n, r, codes, n.real("eps")),
                    n.constant(DType::int_(64), is_unsigned ? kMiddle : 0), {int_imm(1)});
  }
  const Expr scale = asymmetric_scale(n, r, codes, n.real("eps"));
  return recorded(n, scale, zero_of(n, r, scale, codes), {int_imm(1)});
}

AttrMap over_last(bool keepdims = true) { return {{"axis", AttrValue::ints({-1})}, {"keepdims", keepdims}}; }

std::vector<Scalar> token_shape(const NodeContext& n, const Expr& x) {
  std::vector<Scalar> shape = n.dims(x);
  shape.back() = int_imm(1);
  return shape;
}

Results choose_for_token(const NodeContext& n) {
  constexpr double kGreatest = 127, kLeastScale = 1e-5;
  const Expr x = n.tensor("input");
  const Expr highest =
      converted(n.builder, n.call("max", {n.call("abs", {x})}, over_last()), DType::float_(32), n.span);
  const Expr scale = divided(n, at_least(n, highest, kLeastScale), kGreatest);
  return recorded(n, scale, n.call("zeros_like", {scale}), token_shape(n, x));
}

/// Of the two zero points that keep one end of the range, that whose other end is nearer.
Results choose_for_token_asymmetric(const NodeContext& n) {
  const Codes codes{-128, 127};
  const Expr x = converted(n.builder, n.tensor("input"), DType::float_(32), n.span);
  const Range r = range_of(n, x, over_last());
  const Expr scale = asymmetric_scale(n, r, codes, std::ldexp(1.0, -23));  // the distance of floats from 1
  const Expr low = n.call("divide", {r.low, scale}), high = n.call("divide", {r.high, scale});
  const auto number = [&](double v) { return n.constant(DType::float_(32), v); };
  const Expr errors =
      n.call("add", {n.call("add", {number(codes.least), low}), n.call("add", {number(codes.greatest), high})});
  const Expr zero =
      n.call("where", {n.call("greater", {errors, number(0)}), n.call("subtract", {number(codes.least), low}),
                       n.call("subtract", {number(codes.greatest), high})});
  return recorded(n, scale, n.call("round", {within(n, zero, codes)}), token_shape(n, x));
}

Codes codes_of(const NodeContext& n, DType t) {
  return {n.has("quant_min") ? n.real("quant_min") : least_of(t),
          n.has("quant_max") ? n.real("quant_max") : greatest_of(t)};
}

/// Returns round(x / scale) + zero within the codes.
Expr quantised_by(const NodeContext& n, const Expr& x, const Expr& scale, const Expr& zero, const Codes& codes,
                  DType t) {
  const Expr inverse = n.call("divide", {n.constant(dtype_of(scale), 1), scale});
  const Expr steps = n.call("round", {n.call("multiply", {x, inverse})});
  const Expr sum = zero ? n.call("add", {steps, converted(n.builder, zero, dtype_of(steps), n.span)}) : steps;
  return converted(n.builder, within(n, sum, codes), t, n.span);
}

/// Here the zero point is added before numbers are rounded, and all of it is float64, as scales are.
Results quantize_token(const NodeContext& n) {
  const DType wide = dtype_of(n.tensor("scales")), t = n.dtype("dtype").value_or(n.recorded_dtype());
  const auto widened = [&](std::string_view name) { return converted(n.builder, n.tensor(name), wide, n.span); };
  const Expr inverse = n.call("divide", {n.constant(wide, 1), widened("scales")});
  const Expr sum = n.call("add", {n.call("multiply", {widened("input"), inverse}), widened("zero_points")});
  return converted(n.builder, within(n, n.call("round", {sum}), codes_of(n, t)), t, n.span);
}

Results dequantize_token(const NodeContext& n) {
  const DType wide = dtype_of(n.tensor("scales")), whole = DType::int_(32);
  const DType t = n.recorded_dtype().is_void() ? DType::float_(32) : n.recorded_dtype();
  const Expr above = n.call("subtract", {converted(n.builder, n.tensor("input"), whole, n.span),
                                         converted(n.builder, n.tensor("zero_points"), whole, n.span)});
  const Expr product = n.call("multiply", {converted(n.builder, above, wide, n.span), n.tensor("scales")});
  return converted(n.builder, product, t, n.span);
}

/// A tensor in blocks, of which each has a scale: axes that hold several blocks are split.
struct Blocks {
  std::vector<Scalar> split, scales;     // the shapes of the tensor and of its scales
  std::vector<Scalar> counts;            // of blocks along each axis of the tensor
  std::vector<int64_t> within;           // axes of the split tensor that lie within blocks
  std::vector<int64_t> apart;            // axes of the tensor each of whose indices has a scale
  std::vector<int64_t> split_axes = {};  // of the tensor, that hold several blocks of several elements

  bool is_split() const { return !split_axes.empty(); }
  /// True where blocks lie along one axis, and each index of the others has a scale.
  bool are_along_one_axis() const { return split_axes.size() == 1 && within.size() == 1; }
};

Blocks blocks_of(const NodeContext& n, const Expr& x) {
  const std::vector<Scalar>& dims = n.dims(x);
  const std::vector<Scalar> sizes = n.sizes("block_size");
  if (sizes.size() != dims.size()) throw UnsupportedUse{"with blocks of another rank"};
  Blocks out;
  const auto add = [&](const Scalar& size, bool is_within) {
    if (is_within) out.within.push_back(static_cast<int64_t>(out.split.size()));
    out.split.push_back(size);
    out.scales.push_back(is_within ? int_imm(1) : size);
  };
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t *block = find_int(sizes[i]), *size = find_int(dims[i]);
    if (block && *block == 1) {
      if (!size || *size != 1) out.apart.push_back(static_cast<int64_t>(i));
      out.counts.push_back(dims[i]);
      add(dims[i], false);
    } else if (structural_equal(sizes[i], dims[i]) || (block && *block == -1)) {
      out.counts.push_back(int_imm(1));
      add(dims[i], true);
    } else {
      if (!block || !size || *size % *block != 0) throw UnsupportedUse{"with blocks that do not fill the tensor"};
      out.split_axes.push_back(static_cast<int64_t>(i));
      out.counts.push_back(int_imm(*size / *block));
      add(int_imm(*size / *block), false);
      add(int_imm(*block), true);
    }
  }
  return out;
}

/// Returns the zero points; null where they are left out, or of no element.
Expr zero_points(const NodeContext& n) {
  if (!n.has("zero_point")) return nullptr;
  const Expr zero = n.tensor("zero_point");
  const auto is_none = [](const Scalar& size) { return find_int(size) && *find_int(size) == 0; };
  return std::ranges::any_of(n.dims(zero), is_none) ? Expr() : uniform_as_scalar(n.builder, zero, n.span);
}

Expr shaped(const NodeContext& n, const Expr& x, const std::vector<Scalar>& shape) {
  return rank_of(x) == 0 ? x : reshaped(n.builder, x, shape, n.span);
}

Results quantize_affine(const NodeContext& n) {
  const Expr x = n.tensor("input");
  const Blocks b = blocks_of(n, x);
  const DType t = n.recorded_dtype().is_void() ? n.dtype("output_dtype").value_or(DType::int_(8)) : n.recorded_dtype();
  if (t.is_float()) throw UnsupportedUse{"to " + t.str()};
  const Expr zero = zero_points(n), scale = converted(n.builder, n.tensor("scale"), dtype_of(x), n.span);
  const Expr out = quantised_by(n, reshaped(n.builder, x, b.split, n.span), shaped(n, scale, b.scales),
                                zero ? shaped(n, zero, b.scales) : zero, codes_of(n, t), t);
  return reshaped(n.builder, out, n.dims(x), n.span);
}

Results dequantize_affine(const NodeContext& n) {
  const Expr x = n.tensor("input");
  const Blocks b = blocks_of(n, x);
  const DType t = n.recorded_dtype().is_void() ? DType::float_(32) : n.recorded_dtype();
  Expr zero = zero_points(n);
  const Expr scale = converted(n.builder, n.tensor("scale"), t, n.span);
  const bool has_integers = dtype_of(x).is_integral() && (!zero || dtype_of(zero).is_integral());
  if (b.are_along_one_axis() && has_integers) {
    const int64_t axis = b.split_axes[0], block = *find_int(b.split[static_cast<size_t>(b.within[0])]);
    zero = zero ? converted(n.builder, shaped(n, zero, b.counts), dtype_of(x), n.span) : n.constant(dtype_of(x), 0);
    return n.call("dequantize", {x, shaped(n, scale, b.counts), zero},
                  {{"axis", axis}, {"out_dtype", t}, {"block_size", block}});
  }
  if (!b.is_split() && b.apart.size() <= 1 && (!zero || dtype_of(zero).is_integral())) {
    const std::vector<Scalar> shape =
        b.apart.empty() ? std::vector<Scalar>() : std::vector{n.dims(x)[static_cast<size_t>(b.apart[0])]};
    zero = zero ? converted(n.builder, shaped(n, zero, shape), dtype_of(x), n.span) : n.constant(dtype_of(x), 0);
    return n.call("dequantize", {x, shaped(n, scale, shape), zero},
                  {{"axis", b.apart.empty() ? 0 : b.apart[0]}, {"out_dtype", t}});
  }
  Expr out = converted(n.builder, reshaped(n.builder, x, b.split, n.span), t, n.span);
  if (zero) out = n.call("subtract", {out, converted(n.builder, shaped(n, zero, b.scales), t, n.span)});
  return reshaped(n.builder, n.call("multiply", {out, shaped(n, scale, b.scales)}), n.dims(x), n.span);
}

Results choose_affine(const NodeContext& n) {
  const Expr x = n.tensor("input");
  const Blocks b = blocks_of(n, x);
  const Codes codes = codes_of(n, n.dtype("target_dtype").value_or(DType::int_(8)));
  const std::string mapping = n.string("mapping_type");
  const double least = n.has("eps") ? n.real("eps") : std::ldexp(1.0, -126);  // the least normal float32
  const AttrMap axes{{"axis", AttrValue::ints(b.within)}, {"keepdims", true}};
  const Range r = range_of(n, reshaped(n.builder, x, b.split, n.span), axes);
  std::vector<Scalar> shape = b.counts;
  if (!n.boolean("keepdim", false)) {
    shape.clear();
    for (size_t i = 0; i < b.split.size(); ++i)
      if (std::ranges::find(b.within, static_cast<int64_t>(i)) == b.within.end()) shape.push_back(b.split[i]);
  }
  if (mapping == "SYMMETRIC") {
    const double middle = std::trunc((codes.greatest + codes.least + 1) / 2);
    const Expr scale = symmetric_scale(n, r, codes, least);
    return recorded(n, scale, n.call("full_like", {scale, n.constant(dtype_of(x), middle)}), shape);
  }
  if (mapping != "ASYMMETRIC") throw UnsupportedUse{"with the mapping " + mapping};
  const Expr scale = asymmetric_scale(n, r, codes, least);
  return recorded(n, scale, zero_of(n, r, scale, codes), shape);
}

}  // namespace

std::vector<Converter> choose_quantisation_converters() {
  const char* kRange = "`R.min`, `R.max`, `R.round` and arithmetic";
  const char* kSteps = "`R.round`, `R.maximum`, `R.minimum` and arithmetic";
  return {
      {"quantized_decomposed.choose_qparams.tensor", choose_for_tensor<false>, kRange},
      {"quantized_decomposed.choose_qparams_symmetric.tensor", choose_for_tensor<true>, kRange},
      {"quantized_decomposed.choose_qparams_per_token.default", choose_for_token, kRange},
      {"quantized_decomposed.choose_qparams_per_token_asymmetric.default", choose_for_token_asymmetric, kRange},
      {"quantized_decomposed._choose_qparams_per_token_asymmetric_impl.default", choose_for_token_asymmetric, kRange},
      {"quantized_decomposed.quantize_per_token.default", quantize_token, kSteps},
      {"quantized_decomposed.dequantize_per_token.default", dequantize_token, "arithmetic"},
      {"torchao.choose_qparams_affine.default", choose_affine, kRange, "symmetric or asymmetric"},
      {"torchao.quantize_affine.default", quantize_affine, kSteps, "to integers"},
      {"torchao.dequantize_affine.default", dequantize_affine, "`R.dequantize`; of blocks arithmetic"}};
}

}  // namespace sunmao::torch
