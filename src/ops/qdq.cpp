// The ops quantize and dequantize: data = (quantised - zero_point) * scale.
#include <fmt/format.h>

#include <cmath>

#include "ops/algebra/rule.h"
#include "ops/layout_rule.h"
#include "ops/lowering.h"
#include "ops/ops.h"
#include "ops/samples/sampler.h"
#include "support/small_float.h"

namespace sunmao {
namespace {

// Scale and zero point are scalars, or vectors with one value for each index of the axis.
void check_scale_and_zero_point(const InferInput& in) {
  const TensorType& data = in.tensor(0);
  int64_t axis = in.int_attr("axis");
  bool is_scalar = data.rank == 0;
  if (data.rank != kUnknownRank && !is_scalar) axis = in.normalize_axis(axis, data.rank);  // C3
  for (size_t i : {size_t{1}, size_t{2}}) {
    const TensorType& t = in.tensor(i);
    const std::string& name = in.op.inputs()[i]->name;
    if (t.rank != kUnknownRank && t.rank > 1)  // C4
      in.error("E0307", fmt::format("`{}` must have rank 0 or 1, got {}", name, t.rank));
    const Scalar* size = t.dims() && t.rank == 1 ? &t.dims()->front() : nullptr;
    const int64_t* known = size ? find_int(*size) : nullptr;
    if (!size || (known && *known == 1)) continue;
    if (is_scalar)
      in.error("E0309", fmt::format("`{}` holds {} values for `data` of rank 0", name, describe(*size)));  // C5
    if (data.dims() && !in.can_agree(*size, (*data.dims())[static_cast<size_t>(axis)]))
      in.error("E0309", fmt::format("`{}` holds {} values for an axis of {}", name, describe(*size),
                                    describe((*data.dims())[static_cast<size_t>(axis)])));
  }
}

bool any_unknown(const InferInput& in) {
  return in.tensor(0).dtype.is_void() || in.tensor(1).dtype.is_void() || in.tensor(2).dtype.is_void();
}

Type infer_quantize(const InferInput& in) {
  const TensorType& data = in.tensor(0);
  DType out = in.dtype_attr("out_dtype");
  bool known = out.is_int() || out.is_uint() || (out.is_float() && out.bits <= 8);
  need_dtype(in, known, "out_dtype", "integer or small float", out);                           // C1
  need_dtype(in, data.dtype.is_void() || data.dtype.is_float(), "data", "float", data.dtype);  // C2
  check_scale_and_zero_point(in);
  return with_dtype(data, any_unknown(in) ? DType::void_() : out);
}

Type infer_dequantize(const InferInput& in) {
  const TensorType& data = in.tensor(0);
  DType out = in.dtype_attr("out_dtype");
  need_dtype(in, out.is_float(), "out_dtype", "float", out);  // C1
  bool known = data.dtype.is_void() || data.dtype.is_int() || data.dtype.is_uint() ||
               (data.dtype.is_float() && data.dtype.bits <= 8);
  need_dtype(in, known, "data", "integer or small float", data.dtype);  // C2
  check_scale_and_zero_point(in);
  return with_dtype(data, any_unknown(in) ? DType::void_() : out);
}

// Returns the scale or zero point that applies to an element.
Scalar parameter(const Ref<Buffer>& p, const Indices& at, int64_t axis) {
  if (p->rank() == 0) return load(p, {});
  const int64_t* size = find_int(p->shape[0]);
  if (size && *size == 1) return load(p, {int_imm(0)});
  return load(p, {at[static_cast<size_t>(axis)]});
}

// round(data / scale) + zero_point, clamped to the range of the dtype. For a float dtype the cast itself rounds.
Ref<BaseFunc> lower_quantize(const Call& call) {
  InferInput in = input_of(call);
  KernelBuilder k("quantize");
  Ref<Buffer> x = k.input("A", call.args[0]->type), scale = k.input("B", call.args[1]->type),
              zero = k.input("C", call.args[2]->type), y = k.output("T_quantize", call.type);
  int64_t axis = x->rank() == 0 ? 0 : in.normalize_axis(in.int_attr("axis"), x->rank());
  DType wide = x->dtype;
  const bool is_float = y->dtype.is_float();
  double high = is_float ? double{largest_small_float(y->dtype)} : 0, low = -high;
  if (!is_float) {
    int bits = y->dtype.bits - (y->dtype.is_int() ? 1 : 0);
    high = std::exp2(bits) - 1;
    low = y->dtype.is_int() ? -high - 1 : 0;
  }
  const std::optional<UniformValue> known = uniform_of(call.args[1]);
  const bool is_one = known && known->real == 1;
  k.compute(y, "T_quantize", [&](const Indices& at) {
    Scalar scaled = is_one ? load(x, at) : divide(load(x, at), cast_to(wide, parameter(scale, at, axis)));
    Scalar shifted = (is_float ? scaled : intrinsic("round", scaled)) + cast_to(wide, parameter(zero, at, axis));
    const Scalar number = Cast::make(y->dtype, max(min(shifted, constant(wide, high)), constant(wide, low)));
    if (y->dtype != DType::uint(32)) return number;
    // The highest uint32 rounds up to 2^32 in float32, which is out of range: its cast would be 0.
    return choose(at_least(shifted, constant(wide, high)), highest_of(y->dtype), number);
  });
  return std::move(k).finish();
}

Ref<BaseFunc> lower_dequantize(const Call& call) {
  InferInput in = input_of(call);
  KernelBuilder k("dequantize");
  Ref<Buffer> x = k.input("A", call.args[0]->type), scale = k.input("B", call.args[1]->type),
              zero = k.input("C", call.args[2]->type), y = k.output("T_dequantize", call.type);
  int64_t axis = x->rank() == 0 ? 0 : in.normalize_axis(in.int_attr("axis"), x->rank());
  DType difference = x->dtype.is_float() ? y->dtype : DType::int_(32);
  k.compute(y, "T_dequantize", [&](const Indices& at) {
    Scalar off = cast_to(difference, load(x, at)) - cast_to(difference, parameter(zero, at, axis));
    return cast_to(y->dtype, off) * cast_to(y->dtype, parameter(scale, at, axis));
  });
  return std::move(k).finish();
}

std::vector<OpParam> parameters(const char* data, const char* out_dtype) {
  return {{"data", data},
          {"scale", "one for all, or one for each index of the axis (C4, C5)"},
          {"zero_point", "one for all, or one for each index of the axis (C4, C5)"},
          int_param("axis", "the axis of scales (C3)", -1),
          dtype_param("out_dtype", "the dtype of the result (C1)", out_dtype)};
}

const std::vector<DType>& small_integers() {
  static const std::vector<DType> kAll{DType::int_(8), DType::uint(8), DType::int_(16)};
  return kAll;
}

// Draws a call of quantize: float data, an axis, and a scale and a zero point that are both scalars or both vectors
// with one value for each index of the axis.
OpSample sample_quantize(Sampler& s) {
  Expr x = s.tensor({.min_rank = 1, .dtype = DType::float_(32)});
  const int64_t axis = s.axis(sampled_rank(x));
  const Dims scales = s.chance(50) ? Dims{} : Dims{dim_along(axis, x)};
  const DType dtype = s.one_of(small_integers());
  return {{x, s.beside(x, scales, Values::Positive), s.tensor({.dims = scales, .dtype = dtype})},
          {{"out_dtype", dtype}, {"axis", axis}}};
}

OpSample sample_dequantize(Sampler& s) {
  Expr x = s.tensor({.min_rank = 1, .dtype = s.one_of(small_integers())});
  const int64_t axis = s.axis(sampled_rank(x));
  const Dims scales = s.chance(50) ? Dims{} : Dims{dim_along(axis, x)};
  return {{x, s.tensor({.dims = scales, .dtype = DType::float_(32), .values = Values::Positive}), s.beside(x, scales)},
          {{"out_dtype", DType::float_(32)}, {"axis", axis}}};
}

}  // namespace

void register_qdq_ops(OpTable& ops) {
  ops.add({.name = "quantize",
           .summary = "round(data / scale) + zero_point, within the range of the dtype.",
           .params = parameters("float tensor (C2)", "int8"),
           .constraints = {"C1: out_dtype is an integer or a float of at most 8 bits", "C2: data is a float tensor",
                           "C3: axis is in [-rank, rank - 1]", "C4: scale and zero point have rank 0 or 1",
                           "C5: with one value, or one for each index of the axis"},
           .infer = infer_quantize,
           .lower = lower_quantize,
           .fuse = Fuse::Injective,
           .layout = layout_along_axis,
           .sample = sample_quantize});
  ops.add({.name = "dequantize",
           .summary = "(data - zero_point) * scale.",
           .params = parameters("quantised tensor (C2)", "float32"),
           .constraints = {"C1: out_dtype is a float", "C2: data is of integers or floats of at most 8 bits",
                           "C3: axis is in [-rank, rank - 1]", "C4: scale and zero point have rank 0 or 1",
                           "C5: with one value, or one for each index of the axis"},
           .infer = infer_dequantize,
           .lower = lower_dequantize,
           .fuse = Fuse::Injective,
           .layout = layout_along_axis,
           .sample = sample_dequantize});
}

}  // namespace sunmao
