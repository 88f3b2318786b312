// Ops that search for positions: of extremes, and among sorted boundaries.
#include <fmt/format.h>

#include "ops/lowering.h"
#include "ops/ops.h"
#include "ops/samples/sampler.h"

namespace sunmao {
namespace {

Type infer_arg(const InferInput& in) {
  const TensorType& x = in.tensor(0);
  bool keep = in.bool_attr("keepdims"), all = in.attr("axis").is_none();
  DType dtype = DType::int_(64);
  if (x.rank == kUnknownRank) {
    return all && !keep ? TensorType::make({}, dtype, x.vdevice)
                        : TensorType::make_unknown(dtype, kUnknownRank, x.vdevice);
  }
  std::optional<size_t> axis;
  if (!all) axis = static_cast<size_t>(in.normalize_axis(in.int_attr("axis"), x.rank));  // C1
  if (all)
    return TensorType::make(std::vector<Scalar>(keep ? static_cast<size_t>(x.rank) : 0, int_imm(1)), dtype, x.vdevice);
  int rank = keep ? x.rank : x.rank - 1;
  if (!written(x))
    return rank == 0 ? TensorType::make({}, dtype, x.vdevice) : TensorType::make_unknown(dtype, rank, x.vdevice);
  return TensorType::make(keep ? with_index(*written(x), *axis, int_imm(1)) : without_index(*written(x), *axis), dtype,
                          x.vdevice);
}

// Finds the extreme value first, then the least index that has it; if there are NaN, the least index of a NaN.
template <bool kLargest>
Ref<BaseFunc> lower_arg(const Call& call) {
  InferInput in = input_of(call);
  KernelBuilder k(kLargest ? "argmax" : "argmin");
  Ref<Buffer> x = k.input("A", call.args[0]->type), y = k.output("T_arg", call.type);
  bool keep = in.bool_attr("keepdims"), all = in.attr("axis").is_none();
  size_t axis = all ? 0 : static_cast<size_t>(in.normalize_axis(in.int_attr("axis"), x->rank()));
  std::vector<Scalar> extents = all ? x->shape : std::vector<Scalar>{x->shape[axis]};
  auto source = [&](const Indices& at, const Indices& r) {
    if (all) return load(x, r);
    return load(x, keep ? with_index(at, axis, r[0]) : insert_index(at, axis, r[0]));
  };
  Ref<Buffer> extreme = k.alloc("A_extreme", x->dtype, y->shape);
  k.reduce(extreme, "A_extreme", extents, kLargest ? largest(x->dtype) : smallest(x->dtype), source);
  Scalar count = product(x->shape);
  KernelBuilder::Reduction first{all ? count : x->shape[axis],
                                 [](const Scalar& a, const Scalar& b) { return min(a, b); }};
  k.reduce(y, "T_arg", extents, first, [&](const Indices& at, const Indices& r) {
    Scalar flat = r[0];
    for (size_t i = 1; i < r.size(); ++i) flat = flat * extents[i] + r[i];
    Scalar value = source(at, r), top = load(extreme, at);
    Scalar found = equals(value, top);
    if (x->dtype.is_float()) found = Binary::make(BinaryOp::Or, found, Binary::make(BinaryOp::Ne, value, value));
    return Select::make(found, flat, first.init);
  });
  return std::move(k).finish();
}

Type infer_bucketize(const InferInput& in) {
  const TensorType &x = in.tensor(0), &boundaries = in.tensor(1);
  need_rank(in, 1, 1);  // C1
  shared_vdevice(in, {&x, &boundaries});
  return with_dtype(x, in.bool_attr("out_int32") ? DType::int_(32) : DType::int_(64));
}

// Returns the dtype in which numbers of two dtypes are compared: one that holds those of both, as far as there is one.
DType compared_dtype(DType a, DType b) {
  if (a == b) return a;
  if (a.is_float() && b.is_float()) return a.bits == b.bits ? DType::float_(32) : a.bits > b.bits ? a : b;
  // float32 holds integers of up to 24 bits.
  const auto is_narrow = [](DType t) { return t.is_float() ? t.bits <= 32 : t.bits <= 16; };
  if (a.is_float() || b.is_float()) return DType::float_(is_narrow(a) && is_narrow(b) ? 32 : 64);
  return DType::int_(64);
}

// The boundaries are sorted, so the number of those that the value passes is its bucket; NaN is above all of them.
Ref<BaseFunc> lower_bucketize(const Call& call) {
  InferInput in = input_of(call);
  KernelBuilder k("bucketize");
  Ref<Buffer> x = k.input("A", call.args[0]->type), boundaries = k.input("B", call.args[1]->type),
              y = k.output("T_bucketize", call.type);
  const DType dtype = compared_dtype(x->dtype, boundaries->dtype);
  const BinaryOp above = in.bool_attr("right") ? BinaryOp::Gt : BinaryOp::Ge;
  k.reduce(y, "T_bucketize", {boundaries->shape[0]}, summed(y->dtype), [&](const Indices& at, const Indices& r) {
    const Scalar is_above = Binary::make(above, cast_to(dtype, load(boundaries, r)), cast_to(dtype, load(x, at)));
    return Cast::make(y->dtype, Not::make(is_above));
  });
  return std::move(k).finish();
}

using Kind = TensorWish::Kind;

OpSample sample_bucketize(Sampler& s) {
  Expr x = s.tensor({.min_rank = 1, .max_rank = 2});
  // The op requires sorted boundaries.
  const Array ordered = Array::from_floats({3}, std::vector<float>{-1, 0.25, 1});
  return {{x, Constant::make(ordered)}, {{"right", s.chance(50)}, {"out_int32", s.chance(50)}}};
}

OpSample sample_place(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number, .min_rank = 1, .size = Sizes::Whole});
  AttrMap attrs{{"keepdims", s.chance(50)}};
  if (s.chance(70)) attrs["axis"] = s.axis(sampled_rank(x));
  return {{x}, std::move(attrs)};
}

}  // namespace

void register_search_ops(OpTable& ops) {
  for (bool largest : {true, false})
    ops.add({.name = largest ? "argmax" : "argmin",
             .summary = largest ? "The first place of the largest element along an axis."
                                : "The first place of the smallest element along an axis.",
             .params = {{"x", "tensor"},
                        int_param("axis", "the axis; None: over all elements (C1)", AttrValue()),
                        bool_param("keepdims", "keep the axis with size 1", false)},
             .constraints = {"C1: axis is in [-rank, rank - 1]"},
             .infer = infer_arg,
             .lower = largest ? lower_arg<true> : lower_arg<false>,
             .fuse = Fuse::Reduce,
             .sample = sample_place});
  ops.add({.name = "bucketize",
           .summary = "For each element the place among ordered boundaries.",
           .params = {{"input_tensor", "tensor"},
                      {"boundaries", "ordered tensor of rank 1 (C1)"},
                      bool_param("out_int32", "int32 instead of int64", false),
                      bool_param("right", "a boundary belongs to what is above it", false)},
           .constraints = {"C1: boundaries has rank 1"},
           .infer = infer_bucketize,
           .lower = lower_bucketize,
           .fuse = Fuse::Reduce,
           .sample = sample_bucketize});
}

}  // namespace sunmao
