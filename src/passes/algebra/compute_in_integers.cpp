// The pass `compute-in-integers`: convolutions and products of dequantised bytes with weights become integer ones,
// whose sums are scaled afterwards. What stands between two of them, from the sums to the next `quantize`, stays as it
// is and is fused with the first, so that tensors are bytes in memory.
//
// Every step multiplies unsigned bytes of the data with signed ones of the weight, which x86-64 does in one instruction
// (Instruction::DotBytes): int8 data is kept as uint8, 128 higher, and uint8 weights as int8. What zero points add is a
// sum of the weight for each channel, which is computed ahead of time where the weight is known.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ir/equal.h"
#include "ops/ops.h"
#include "passes/algebra/byte_values.h"
#include "passes/algebra/clamp.h"
#include "passes/algebra/quantised_mean.h"
#include "passes/algebra/quantised_product.h"
#include "passes/analysis/unused.h"
#include "passes/passes.h"

namespace sunmao {
namespace {

/// Sums before they are scaled, as float32, and the scale: a scalar or a vector along the axis of channels.
struct Unscaled {
  Expr sums, scale;
  int axis = 0;
};

class IntegerComputer final : public ByteValues {
 public:
  IntegerComputer(const Ref<Function>& f, const PassContext& ctx) : ByteValues(*f), ctx_(ctx), bounds_(*f) {}

 private:
  using ByteValues::visit;

  void forget() override {
    ByteValues::forget();
    unscaled_.clear();
  }

  Expr visit(const Call& call) override {
    const Expr e = Rewriter::visit(call);
    span_ = call.span;
    const auto* own = find<Call>(e);
    const Op* op = own ? op_of(*own) : nullptr;
    if (!op) return e;
    Expr better;
    if (op->name() == "dequantize")
      better = of_unsigned(*own);
    else if (op->name() == "quantize")
      better = requantised(*own);
    else if (op->name() == "add")
      better = with_bias(*own);
    else if (product_axes(*own) && !op->name().ends_with("_transpose"))
      better = product(*own);
    return better ? better : e;
  }

  /// Values that are computed are kept unsigned.
  Expr of_unsigned(const Call& dequantize) {
    const Quantised x = quantised_operands(dequantize);
    if (element_dtype(x.values) != kSigned || is_known(x.values) || !find<Var>(x.values)) return nullptr;
    if (!is_byte_point(x.zero, kSigned)) return nullptr;
    for (Expr source = x.values; find<Var>(source);) {
      const Expr value = definition(source);
      const auto* call = value ? find<Call>(value) : nullptr;
      if (has_other_kind(source) || is_quantised_to_bytes(value))
        return Call::make(dequantize.callee,
                          {of_kind(x.values, kUnsigned), x.scale, zero_as(x.zero, kSigned, kUnsigned, kUnsigned)},
                          dequantize.attrs, {}, dequantize.span);
      if (!call || !passes_elements_on(*call)) return nullptr;
      source = call->args[0];
    }
    return nullptr;
  }

  /// Returns the product as scaled sums of integers; null where it stays as it is.
  Expr product(const Call& call) {
    if (element_dtype(Expr(&call)) == kSum) return of_best_signs(call);
    const std::optional<Quantised> data = read_quantised(call.args[0]), weight = read_quantised(call.args[1]);
    if (!data && !weight) return nullptr;
    std::string reason = !data                                 ? "the data is not quantised"
                         : !weight                             ? "the weight is not quantised"
                         : element_dtype(Expr(&call)) != kReal ? "the result is not float32"
                                                               : "";
    std::optional<QuantisedProduct> p;
    if (reason.empty()) p.emplace(call, *product_axes(call), *data, *weight);
    if (p) reason = reason_against_integers(*p, is_known(weight->values), bounds_);
    if (ctx_.on_explain)
      ctx_.on_explain(fmt::format("compute-in-integers: `{}`: {} {}", binding_, op_of(call)->name(),
                                  reason.empty() ? "in integers" : "stays in float32: " + reason));
    return reason.empty() ? scaled_sums(*p) : nullptr;
  }

  /// Returns sums of products of two signed or two unsigned bytes as such of unsigned data and a signed weight, which
  /// take one instruction a step; null where these do not pay.
  Expr of_best_signs(const Call& call) {
    const auto of_bytes = [](const Expr& e) {
      return Quantised{e, number_constant(1, kReal), integer_constant(element_dtype(e), 0)};
    };
    const DType x = element_dtype(call.args[0]), w = element_dtype(call.args[1]);
    if (!is_byte(x) || x != w) return nullptr;
    const QuantisedProduct p{call, *product_axes(call), of_bytes(call.args[0]), of_bytes(call.args[1])};
    if (p.adds_floats() || !reason_against_integers(p, is_known(call.args[1]), bounds_).empty()) return nullptr;
    return exact_sums(p);
  }

  Expr scaled_sums(const QuantisedProduct& p) {
    const Expr sums = exact_sums(p);
    const Expr real = p.adds_floats() ? sums : as(sums, kReal);
    const Expr of_weight = single_as_number(p.weight.scale);
    if (is_single(p.data.scale)) {
      const Expr scale = divisible(step("multiply", {single_as_number(p.data.scale), of_weight}));
      return scaled({real, scale, p.axes.result}, p.result_rank());
    }
    const Expr columns = step("multiply", {real, spread(of_weight, p.axes.result, p.result_rank())});
    return step("multiply", {columns, spread(p.data.scale, p.data.axis, tensor_rank(p.data.values))});
  }

  /// Returns a scale with a small number in place of smaller ones and 0, which a channel without weights may have: a
  /// bias is divided by it.
  Expr divisible(const Expr& scale) {
    constexpr double kLeast = 1e-25;  // times any sum it is far below a step, and a bias by it is a float32
    const Expr least = number_constant(kLeast, kReal);
    return step("where", {step("less", {step("abs", {scale}), least}), least, scale});
  }

  /// The sums of products of what data and weight are above their zero points, as int32, or float32 where channels stay
  /// apart.
  Expr exact_sums(const QuantisedProduct& p) {
    const Quantised data{.values = of_kind(p.data.values, kUnsigned),
                         .scale = p.data.scale,
                         .zero = zero_as(p.data.zero, element_dtype(p.data.values), kUnsigned, kSum),
                         .axis = p.data.axis};
    const Expr weight = p.adds_floats() ? centred(p) : of_kind(p.weight.values, kSigned);
    const Expr weight_zero = p.adds_floats() ? integer_constant(kSum, 0)
                                             : zero_as(p.weight.zero, element_dtype(p.weight.values), kSigned, kSum);
    Expr sums = integer_sums(p, data, weight);
    if (known_integer(weight_zero) != 0) {
      const Expr points = spread(single_as_number(weight_zero), p.axes.result, p.result_rank());
      sums = step("subtract", {sums, step("multiply", {sums_of_data(p, data, weight), points})});
    }
    if (known_integer(data.zero) != 0) {
      const Expr more = of_zero_point(p, data.zero, weight, weight_zero);
      const Expr typed = p.adds_floats() ? as(more, kReal) : more;
      sums = step("add", {sums, spread(typed, p.axes.result, p.result_rank())});
    }
    return sums;
  }

  /// The weight less its zero points: in float32 where there are any.
  Expr centred(const QuantisedProduct& p) {
    if (known_integer(p.weight.zero) == 0) return p.weight.values;
    const Expr weight = as(p.weight.values, kReal);
    const Expr points = single_as_number(as(p.weight.zero, kReal));
    return step("subtract", {weight, spread(points, p.axes.weight_result, tensor_rank(weight))});
  }

  Expr scaled(const Unscaled& x, int rank) {
    Expr out = step("multiply", {x.sums, spread(x.scale, x.axis, rank)});
    unscaled_[find_ref<Var>(out)] = x;
    return out;
  }

  /// The sums of products of bytes, with padding that stands for 0, and the steps filled up to whole ones. Those of
  /// single channels are sums of float32, of as many lanes and without rounding.
  Expr integer_sums(const QuantisedProduct& p, const Quantised& data, Expr weight) {
    AttrMap attrs = p.call.attrs.with("out_dtype", p.adds_floats() ? kReal : kSum).values();
    const int64_t zero = known_integer(data.zero).value_or(0);
    std::vector<int64_t> around(2 * static_cast<size_t>(tensor_rank(data.values)), 0);
    if (p.is_convolution() && zero != 0 && p.has_padding()) {
      around = around_image(*p.call.attrs.find<std::string>("data_layout"), p.padding());
      attrs["padding"] = AttrValue::ints(std::vector<int64_t>(p.padding().size(), 0));
    }
    const int64_t channels = p.groups() > 1 ? kBytesOfStep : tensor_size(weight, p.axes.weight_data);
    const int64_t left = (kBytesOfStep - channels % kBytesOfStep) % kBytesOfStep;
    if (left > 0) {
      around[2 * static_cast<size_t>(p.axes.data) + 1] = left;
      std::vector<int64_t> behind(2 * static_cast<size_t>(tensor_rank(weight)), 0);
      behind[2 * static_cast<size_t>(p.axes.weight_data) + 1] = left;
      weight = step("nn.pad", {weight}, {{"pad_width", AttrValue::ints(behind)}});
    }
    const Expr values = padded(data.values, around, zero);
    return step(op_of(p.call)->name().c_str(), {values, weight}, std::move(attrs));
  }

  /// Bytes with zero points around them.
  Expr padded(const Expr& values, const std::vector<int64_t>& around, int64_t zero) {
    if (std::ranges::all_of(around, [](int64_t n) { return n == 0; })) return values;
    return step("nn.pad", {values}, {{"pad_width", AttrValue::ints(around)}, {"pad_value", static_cast<double>(zero)}});
  }

  /// A mean of dequantised bytes, which is quantised again, as their sum: that is an integer. The mean may be moved in
  /// between. nullopt for other values.
  std::optional<Unscaled> averaged(const Expr& e) {
    const Expr value = find<Var>(e) ? definition(e) : nullptr;
    const auto* call = value ? find<Call>(value) : nullptr;
    if (call && op_of(*call) && moves_elements(*call)) {
      std::optional<Unscaled> out = averaged(call->args[0]);
      std::vector<Expr> args = call->args;
      if (out) args[0] = out->sums;
      if (out) out->sums = step(op_of(*call)->name().c_str(), std::move(args), call->attrs.values());
      return out;
    }
    const std::optional<QuantisedMean> mean = call && op_of(*call) ? read_mean(*call) : std::nullopt;
    std::optional<Quantised> x = mean ? read_quantised(call->args[0]) : std::nullopt;
    if (!x) return std::nullopt;
    const std::optional<int64_t> zero = known_integer(x->zero);
    std::string reason = mean->reason;
    if (!is_single(x->scale) || !is_known(x->scale) || !zero)
      reason = "its scale or zero point is not one that is known";
    if (element_dtype(value) != kReal) reason = "the result is not float32";
    if (ctx_.on_explain)
      ctx_.on_explain(fmt::format("compute-in-integers: `{}`: {} {}", find<Var>(e)->name, op_of(*call)->name(),
                                  reason.empty() ? "in integers" : "stays in float32: " + reason));
    if (!reason.empty()) return std::nullopt;
    Expr sums;
    if (mean->convolution.empty()) {
      sums = step("sum", {as(x->values, kSum)}, mean->attrs);
    } else {
      const Expr ones = step("ones", {ShapeExpr::make(mean->filter)}, {{"dtype", kSigned}});
      sums = step(mean->convolution.c_str(), {padded(x->values, mean->around, *zero), ones}, mean->attrs);
    }
    if (*zero != 0) {
      const int64_t more = -*zero * mean->count;
      const bool is_real = element_dtype(sums) == kReal;
      sums = step("add",
                  {sums, is_real ? number_constant(static_cast<double>(more), kReal) : integer_constant(kSum, more)});
    }
    const Expr count = number_constant(static_cast<double>(mean->count), kReal);
    return Unscaled{as(sums, kReal), step("divide", {single_as_number(x->scale), count})};
  }

  /// What is multiplied with each element of a filter, and added.
  Expr sums_of_data(const QuantisedProduct& p, const Quantised& data, const Expr& weight) {
    if (!p.is_convolution())
      return step("sum", {as(data.values, kSum)}, {{"axis", AttrValue::ints({-1})}, {"keepdims", true}});
    std::vector<Scalar> sizes = *find<TensorType>(weight->type)->dims();
    sizes[static_cast<size_t>(p.axes.weight_result)] = int_imm(1);
    return integer_sums(p, data, step("ones", {ShapeExpr::make(sizes)}, {{"dtype", kSigned}}));
  }

  /// What zero points a of the data and b of the weight add to the sums of each channel beside x b:
  /// (x - a)(w - b) = x w - x b - a (w - b).
  Expr of_zero_point(const QuantisedProduct& p, const Expr& zero, const Expr& weight, const Expr& weight_zero) {
    const bool keeps = !p.is_convolution() && tensor_rank(weight) > 2 && tensor_rank(p.data.values) > 1;
    const bool has_points = known_integer(weight_zero) != 0;
    Expr wide = as(weight, kSum);
    if (has_points && p.has_symbolic_steps())
      wide = step("subtract", {wide, spread(single_as_number(weight_zero), p.axes.weight_result, tensor_rank(weight))});
    Expr sums = step("sum", {wide}, {{"axis", AttrValue::ints(p.step_axes())}, {"keepdims", keeps}});
    if (has_points && !p.has_symbolic_steps()) {
      const Expr points = single_as_number(weight_zero);
      sums = step("subtract", {sums, step("multiply", {points, integer_constant(kSum, p.steps())})});
    }
    if (const std::optional<int64_t> known = known_integer(zero))
      return step("multiply", {sums, integer_constant(kSum, -*known)});
    const Expr point = spread(single_as_number(zero), p.data.axis, tensor_rank(p.data.values));
    return step("multiply", {sums, step("negative", {point})});
  }

  /// Returns a vector along an axis of a tensor as it is combined with that; others are numbers, or have its rank.
  Expr spread(const Expr& x, int axis, int rank) {
    return tensor_rank(x) == 1 ? emit_step()(along_axis(x, axis, rank)) : x;
  }

  /// Adds a bias before the sums are scaled: nothing is left then that some targets round once and others twice.
  Expr with_bias(const Call& add) {
    const bool is_left = unscaled_.contains(find_ref<Var>(add.args[0]));
    const auto found = unscaled_.find(find_ref<Var>(add.args[is_left ? 0 : 1]));
    const Expr& bias = add.args[is_left ? 1 : 0];
    const int rank = tensor_rank(Expr(&add));
    if (found == unscaled_.end() || rank != tensor_rank(found->first) || !is_known(bias)) return nullptr;
    const Unscaled x = found->second;
    if (!is_known(x.scale) || !find<TensorType>(bias->type)) return nullptr;
    Analyzer analyzer;
    const Expr vector = as_vector_along(bias, x.axis, rank, analyzer, emit_step());
    if (!vector || element_dtype(vector) != kReal) return nullptr;
    // A bias of a mask may be near the greatest number: its share of the sums stays finite.
    const auto bound = [](double v) { return PrimValue::make(FloatImm::make(kReal, v)); };
    constexpr double kMost = 1e38;
    const Expr ratio = step("clip", {step("divide", {vector, x.scale}), bound(-kMost), bound(kMost)});
    const Expr share = spread(ratio, x.axis, rank);
    return scaled({step("add", {x.sums, share}), x.scale, x.axis}, rank);
  }

  /// True for the highest elements of windows: these are the highest bytes too.
  bool is_highest(const Expr& e) const {
    const Expr value = definition(e);
    const auto* call = value ? find<Call>(value) : nullptr;
    return call && passes_elements_on(*call) && !moves_elements(*call);
  }

  /// Values that are quantised as they were stay; of sums the scale becomes one with that of the result.
  Expr requantised(const Call& quantize) {
    const Quantised to = quantised_operands(quantize);
    const DType dtype = element_dtype(Expr(&quantize));
    if (to.block > 0 || !is_byte(dtype) || !is_byte_point(to.zero, dtype)) return nullptr;
    const bool is_exact = element_dtype(to.values) == kReal;  // in bfloat16 a byte may become another one
    if (const auto x = is_exact ? read_quantised(to.values) : std::nullopt; x && is_same(*x, to, dtype))
      return as_kind(x->values, dtype);
    else if (x && is_highest(to.values))
      return Call::make(
          quantize.callee,
          {step("dequantize", {x->values, x->scale, x->zero}, {{"axis", int64_t{x->axis}}}), to.scale, to.zero},
          quantize.attrs, {}, quantize.span);
    if (!is_single(to.scale) || !is_known(to.scale) || element_dtype(to.scale) != kReal) return nullptr;
    const Clamp clamp = has_positive_value(to.scale) ? clamp_of(to.values) : unclamped(to.values);
    const auto found = unscaled_.find(find_ref<Var>(clamp.operand));
    const std::optional<Unscaled> sums =
        found != unscaled_.end() ? std::optional(found->second) : averaged(clamp.operand);
    if (!sums || !is_known(sums->scale)) return nullptr;
    const Unscaled& x = *sums;
    const int rank = tensor_rank(Expr(&quantize));
    Expr number = scaled({x.sums, step("divide", {x.scale, single_as_number(to.scale)}), x.axis}, rank);
    const Expr out = step(
        "quantize",
        {clamped(number, clamp, to, dtype), number_constant(1, kReal), zero_as(to.zero, dtype, kUnsigned, kUnsigned)},
        quantize.attrs.with("out_dtype", kUnsigned).values());
    return as_kind(out, dtype);
  }

  /// Returns the clamps behind a value as one.
  Clamp clamp_of(const Expr& value) const {
    Clamp out = unclamped(value);
    for (;;) {
      const Expr inner = definition(out.operand);
      const auto* call = inner ? find<Call>(inner) : nullptr;
      const std::optional<Clamp> before = call ? read_clamp(*call) : std::nullopt;
      if (!before) return out;
      out = out.after(*before);
    }
  }
  /// Clamps a number in steps of the scale, where the bytes that it is rounded to do not do so themselves.
  Expr clamped(Expr number, const Clamp& clamp, const Quantised& to, DType dtype) {
    constexpr double kSafe = 0.4;  // of a step: what is nearer to a bound rounds to it
    const std::optional<int64_t> zero = known_integer(to.zero);
    const double scale = uniform_of(to.scale) ? uniform_of(to.scale)->real : 1;
    const double low = clamp.low / scale, high = clamp.high / scale;
    const int64_t lowest = dtype == kSigned ? -kSignShift : 0, highest = lowest + 2 * kSignShift - 1;
    if (std::isfinite(low) && !(zero && low <= static_cast<double>(lowest - *zero) + kSafe))
      number = low == 0 ? step("nn.relu", {number}) : step("maximum", {number, number_constant(low, kReal)});
    if (std::isfinite(high) && !(zero && high >= static_cast<double>(highest - *zero) - kSafe))
      number = step("minimum", {number, number_constant(high, kReal)});
    return number;
  }

  static bool is_same(const Quantised& x, const Quantised& y, DType dtype) {
    if (!(is_single(x.scale) && is_single(x.zero)) && x.axis != y.axis) return false;
    const DType own = element_dtype(x.values);
    const int64_t shift = own == dtype ? 0 : shift_to(own);
    const auto a = known_integer(x.zero), b = known_integer(y.zero);
    return structural_equal(x.scale, y.scale) && (a && b ? *a - *b == shift : shift == 0 && x.zero == y.zero);
  }

  /// Returns unsigned values as what a `quantize` to this dtype gives.
  Expr as_kind(const Expr& values, DType dtype) {
    if (element_dtype(values) == dtype) return values;
    const Expr out = shifted(values, dtype);
    if (dtype == kSigned && find<Var>(out)) note_other_kind(out, values);
    return out;
  }

  const PassContext& ctx_;
  SizeBounds bounds_;
  std::unordered_map<Ref<Var>, Unscaled> unscaled_;
};

}  // namespace

Module compute_in_integers(const Module& m, const PassContext& ctx) {
  return map_without_unused(m, [&](const Ref<Function>& f) { return IntegerComputer(f, ctx).rewrite(f); });
}

}  // namespace sunmao
