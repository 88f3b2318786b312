// The ops quantize and dequantize: data = (quantised - zero_point) * scale.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "ops/algebra/rule.h"
#include "ops/layout_rule.h"
#include "ops/lowering.h"
#include "ops/ops.h"
#include "ops/samples/sampler.h"
#include "support/small_float.h"

namespace sunmao {
namespace {

bool has_one_element(std::span<const Scalar> shape) {
  return std::ranges::all_of(shape, [](const Scalar& size) { return find_int(size) && *find_int(size) == 1; });
}

// The values of blocks have the rank of the data, and one for each block along the axis.
void check_blocks(const InferInput& in, size_t i, int64_t axis) {
  const TensorType &data = in.tensor(0), &t = in.tensor(i);
  const std::string& name = in.op.inputs()[i]->name;
  if (t.rank == kUnknownRank || data.rank == kUnknownRank) return;
  if (t.rank != data.rank)  // C6
    in.error("E0307", fmt::format("`{}` of blocks must have the rank of `data`, {}, got {}", name, data.rank, t.rank));
  if (!t.dims() || !data.dims()) return;
  const int64_t block = in.int_attr("block_size");
  for (size_t d = 0; d < t.dims()->size(); ++d) {
    const Scalar &got = (*t.dims())[d], &size = (*data.dims())[d];
    const Scalar blocks = in.analyzer().simplify(floor_div(size + int_imm(block - 1), int_imm(block))),
                 wanted = static_cast<int64_t>(d) == axis ? blocks : size;
    if (!in.can_agree(got, wanted))
      in.error("E0309", fmt::format("`{}` has a size of {} along axis {}, where blocks of {} take {}", name,
                                    describe(got), d, block, describe(wanted)));
  }
}

// Scale and zero point are scalars, or vectors with one value for each index of the axis, or have one for each block.
void check_scale_and_zero_point(const InferInput& in) {
  const TensorType& data = in.tensor(0);
  int64_t axis = in.int_attr("axis");
  bool is_scalar = data.rank == 0;
  if (data.rank != kUnknownRank && !is_scalar) axis = in.normalize_axis(axis, data.rank);  // C3
  const int64_t block = in.int_attr("block_size");
  if (block < 0) in.error("E0203", fmt::format("`block_size` must not be negative, got {}", block));  // C6
  for (size_t i : {size_t{1}, size_t{2}}) {
    const TensorType& t = in.tensor(i);
    const std::string& name = in.op.inputs()[i]->name;
    if (block > 0 && t.rank != 0 && !(t.dims() && has_one_element(*t.dims()))) {
      check_blocks(in, i, axis);
      continue;
    }
    if (block == 0 && t.rank != kUnknownRank && t.rank > 1)  // C4
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

// Returns the scale or zero point that applies to an element; `block` is 0 without blocks.
Scalar parameter(const Ref<Buffer>& p, const Indices& at, int64_t axis, int64_t block) {
  if (has_one_element(p->shape)) return load(p, Indices(p->shape.size(), int_imm(0)));
  const Scalar& index = at[static_cast<size_t>(axis)];
  return load(p,
              block > 0 ? with_index(at, static_cast<size_t>(axis), floor_div(index, int_imm(block))) : Indices{index});
}

// round(data / scale) + zero_point, clamped to the range of the dtype. For a float dtype the cast itself rounds.
Ref<BaseFunc> lower_quantize(const Call& call) {
  InferInput in = input_of(call);
  KernelBuilder k("quantize");
  Ref<Buffer> x = k.input("A", call.args[0]->type), scale = k.input("B", call.args[1]->type),
              zero = k.input("C", call.args[2]->type), y = k.output("T_quantize", call.type);
  int64_t axis = x->rank() == 0 ? 0 : in.normalize_axis(in.int_attr("axis"), x->rank());
  const int64_t block = in.int_attr("block_size");
  DType wide = x->dtype;
  const bool is_float = y->dtype.is_float();
  double high = is_float ? double{largest_small_float(y->dtype)} : 0, low = -high;
  if (!is_float) {
    int bits = y->dtype.bits - (y->dtype.is_int() ? 1 : 0);
    high = std::exp2(bits) - 1;
    low = y->dtype.is_int() ? -high - 1 : 0;
  }
  const std::optional<UniformValue> known = uniform_of(call.args[1]);
  const bool is_one = known && known->real == 1, is_at_zero = is_known_zero(call.args[2]);
  k.compute(y, "T_quantize", [&](const Indices& at) {
    Scalar scaled = is_one ? load(x, at) : divide(load(x, at), cast_to(wide, parameter(scale, at, axis, block)));
    Scalar shifted = is_float ? scaled : intrinsic("round", scaled);
    if (is_float || !is_at_zero) shifted = shifted + cast_to(wide, parameter(zero, at, axis, block));
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
  const int64_t block = in.int_attr("block_size");
  DType difference = x->dtype.is_float() ? y->dtype : DType::int_(32);
  const bool is_at_zero = is_known_zero(call.args[2]);
  k.compute(y, "T_dequantize", [&](const Indices& at) {
    Scalar off = cast_to(difference, load(x, at));
    if (x->dtype.is_float() || !is_at_zero) off = off - cast_to(difference, parameter(zero, at, axis, block));
    return cast_to(y->dtype, off) * cast_to(y->dtype, parameter(scale, at, axis, block));
  });
  return std::move(k).finish();
}

std::vector<OpParam> parameters(const char* data, const char* out_dtype) {
  return {{"data", data},
          {"scale", "one for all, or one for each index of the axis, or for each block (C4, C5, C6)"},
          {"zero_point", "one for all, or one for each index of the axis, or for each block (C4, C5, C6)"},
          int_param("axis", "the axis of scales (C3)", -1),
          dtype_param("out_dtype", "the dtype of the result (C1)", out_dtype),
          int_param("block_size", "the elements along the axis that share a scale; 0 without blocks (C6)", 0)};
}

constexpr const char* kOfBlocks =
    "C6: block_size is 0 or more; with blocks, scale and zero point have one value, or the shape of data with one for "
    "each block along the axis, of which the last may have fewer elements";

// Blocks go along in no layout but the original one.
std::optional<LayoutPlan> layout_of_scaled(const LayoutRequest& r) {
  const auto* block = r.call.attrs.find<int64_t>("block_size");
  return block && *block > 0 ? std::nullopt : layout_along_axis(r);
}

// Draws the shape of scales and zero points, and the attributes that say along which axis they lie.
std::pair<Dims, AttrMap> sampled_scales(Sampler& s, const Expr& x) {
  const int64_t axis = s.axis(sampled_rank(x)), rank = sampled_rank(x);
  AttrMap attrs{{"axis", axis}};
  if (s.chance(50)) return {Dims{}, attrs};
  if (s.chance(50) || !find_int(dim_along(axis, x))) return {Dims{dim_along(axis, x)}, attrs};
  const int64_t block = s.chance(50) ? 2 : 3;
  Dims dims;
  for (int64_t d = 0; d < rank; ++d) {
    const Scalar size = dim_along(d, x);
    const bool is_it = d == (axis < 0 ? axis + rank : axis);
    dims.push_back(is_it ? int_imm((*find_int(size) + block - 1) / block) : size);
  }
  attrs["block_size"] = block;
  return {dims, attrs};
}

const std::vector<DType>& small_integers() {
  static const std::vector<DType> kAll{DType::int_(8), DType::uint(8), DType::int_(16)};
  return kAll;
}

// Draws a call of quantize: float data, an axis, and a scale and a zero point of the same shape.
OpSample sample_quantize(Sampler& s) {
  Expr x = s.tensor({.min_rank = 1, .dtype = DType::float_(32)});
  auto [scales, attrs] = sampled_scales(s, x);
  const DType dtype = s.one_of(small_integers());
  attrs["out_dtype"] = dtype;
  return {{x, s.beside(x, scales, Values::Positive), s.tensor({.dims = scales, .dtype = dtype})}, attrs};
}

OpSample sample_dequantize(Sampler& s) {
  Expr x = s.tensor({.min_rank = 1, .dtype = s.one_of(small_integers())});
  auto [scales, attrs] = sampled_scales(s, x);
  attrs["out_dtype"] = DType::float_(32);
  return {{x, s.tensor({.dims = scales, .dtype = DType::float_(32), .values = Values::Positive}), s.beside(x, scales)},
          attrs};
}

}  // namespace

void register_qdq_ops(OpTable& ops) {
  ops.add(
      {.name = "quantize",
       .summary = "round(data / scale) + zero_point, within the range of the dtype.",
       .params = parameters("float tensor (C2)", "int8"),
       .constraints = {"C1: out_dtype is an integer or a float of at most 8 bits", "C2: data is a float tensor",
                       "C3: axis is in [-rank, rank - 1]", "C4: without blocks, scale and zero point have rank 0 or 1",
                       "C5: with one value, or one for each index of the axis", kOfBlocks},
       .infer = infer_quantize,
       .lower = lower_quantize,
       .fuse = Fuse::Injective,
       .layout = layout_of_scaled,
       .sample = sample_quantize});
  ops.add(
      {.name = "dequantize",
       .summary = "(data - zero_point) * scale.",
       .params = parameters("quantised tensor (C2)", "float32"),
       .constraints = {"C1: out_dtype is a float", "C2: data is of integers or floats of at most 8 bits",
                       "C3: axis is in [-rank, rank - 1]", "C4: without blocks, scale and zero point have rank 0 or 1",
                       "C5: with one value, or one for each index of the axis", kOfBlocks},
       .infer = infer_dequantize,
       .lower = lower_dequantize,
       .fuse = Fuse::Injective,
       .layout = layout_of_scaled,
       .sample = sample_dequantize});
}

}  // namespace sunmao
