// Elementwise ops with three operands.
#include <fmt/format.h>

#include "ops/broadcast.h"
#include "ops/layout_rule.h"
#include "ops/lowering.h"
#include "ops/ops.h"
#include "ops/samples/shared_samples.h"

namespace sunmao {
namespace {

// Upstream's (TVM's) rule: a fused multiply-add does not broadcast.
Type infer_fma(const InferInput& in) {
  const TensorType &a = in.tensor(0), &b = in.tensor(1), &c = in.tensor(2);
  int rank = kUnknownRank;
  for (const TensorType* t : {&a, &b, &c}) {
    if (t->rank == kUnknownRank) continue;
    if (rank != kUnknownRank && t->rank != rank)  // C2
      in.error("E0307", fmt::format("operands differ in rank: {} and {}", rank, t->rank));
    rank = t->rank;
  }
  DType dtype = common_dtype(in, a, b);  // C1
  if (dtype.is_void() || c.dtype.is_void())
    dtype = DType::void_();
  else
    common_dtype(in, a, c);
  Ref<VDevice> device = shared_vdevice(in, {&a, &b, &c});
  if (written(a) && written(b) && written(c)) {
    for (size_t i = 0; i < written(a)->size(); ++i)
      for (const TensorType* t : {&b, &c})
        if (!in.can_agree((*written(a))[i], (*written(*t))[i]))  // C3
          in.error("E0309", fmt::format("dimension {} differs: {} against {}", i, describe((*written(a))[i]),
                                        describe((*written(*t))[i])));
    return TensorType::make(*written(a), dtype, device);
  }
  if (a.shape && a.shape == b.shape && a.shape == c.shape) return TensorType::make_with_shape(a.shape, dtype, device);
  return TensorType::make_unknown(dtype, rank, device);
}

Ref<BaseFunc> lower_fma(const Call& call) {
  KernelBuilder k("ewise_fma");
  Ref<Buffer> a = k.input("A", call.args[0]->type), b = k.input("B", call.args[1]->type),
              c = k.input("C", call.args[2]->type), y = k.output("T", call.type);
  k.compute(y, "T_add", [&](const Indices& at) { return load(a, at) * load(b, at) + load(c, at); });
  return std::move(k).finish();
}

// Inference of `where`, whose three operands broadcast together; a scalar has rank 0.
Type infer_where(const InferInput& in) {
  const TensorType& condition = in.tensor(0);
  need_dtype(in, condition.dtype.is_void() || condition.dtype.is_bool(), "condition", "bool", condition.dtype);  // C1
  bool prim[2] = {find<PrimType>(in.type(1)) != nullptr, find<PrimType>(in.type(2)) != nullptr};
  DType dtypes[2];
  int rank = condition.rank;
  std::vector<const TensorType*> tensors{&condition};
  for (size_t i = 0; i < 2; ++i) {
    dtypes[i] = prim[i] ? find<PrimType>(in.type(i + 1))->dtype : in.tensor(i + 1).dtype;
    if (prim[i]) continue;
    tensors.push_back(&in.tensor(i + 1));
    int other = in.tensor(i + 1).rank;
    rank = rank == kUnknownRank || other == kUnknownRank ? kUnknownRank : std::max(rank, other);
  }
  if (!dtypes[0].is_void() && !dtypes[1].is_void() && dtypes[0] != dtypes[1])  // C2
    in.error("E0304", fmt::format("operands differ in dtype: {} and {}", dtypes[0].str(), dtypes[1].str()),
             "use astype on one of them");
  DType dtype = dtypes[0].is_void() ? DType::void_() : dtypes[1].is_void() ? DType::void_() : dtypes[0];
  Ref<VDevice> device = shared_vdevice(in, tensors);
  std::vector<Scalar> dims;
  for (const TensorType* t : tensors) {
    if (!written(*t)) {
      bool same = tensors.size() == 3 && t->shape && tensors[0]->shape == t->shape && tensors[1]->shape == t->shape &&
                  tensors[2]->shape == t->shape;
      return same ? TensorType::make_with_shape(t->shape, dtype, device)
                  : TensorType::make_unknown(dtype, rank, device);
    }
    auto joined = broadcast_shape(in, dims, *written(*t));  // C3
    if (!joined) return TensorType::make_unknown(dtype, rank, device);
    dims = std::move(*joined);
  }
  return TensorType::make(std::move(dims), dtype, device);
}

Ref<BaseFunc> lower_where(const Call& call) {
  KernelBuilder k("where");
  std::vector<Ref<Buffer>> in;
  for (const Expr& arg : call.args)
    in.push_back(find<PrimType>(arg->type) ? nullptr
                                           : k.input(std::string(1, static_cast<char>('A' + in.size())), arg->type));
  Ref<Buffer> y = k.output("T_where", call.type);
  auto read = [&](size_t i, const Indices& at) {
    return in[i] ? load(in[i], broadcast_indices(in[i]->shape, at)) : cast_to(y->dtype, scalar_value(call.args[i]));
  };
  k.compute(y, "T_where", [&](const Indices& at) { return Select::make(read(0, at), read(1, at), read(2, at)); });
  return std::move(k).finish();
}

Expr decompose_masked_fill(const Call& call) {
  const auto* x = find<TensorType>(call.args[0]->type);
  Expr value = call.args[2];
  if (const auto* literal = x->dtype.is_void() ? nullptr : find<PrimValue>(value)) {
    const auto* f = find<FloatImm>(literal->value);
    const int64_t* i = find_int(literal->value);
    if (f || i) value = PrimValue::make(constant(x->dtype, f ? f->value : static_cast<double>(*i)));
  }
  return Call::make(builtin_ops().get("where"), {call.args[1], value, call.args[0]}, {}, {}, call.span);
}

Type infer_masked_fill(const InferInput& in) {
  const TensorType &x = in.tensor(0), &mask = in.tensor(1);
  need_dtype(in, mask.dtype.is_void() || mask.dtype.is_bool(), "mask", "bool", mask.dtype);  // C1
  if (!find<PrimType>(in.type(2)) && in.tensor(2).rank > 0)                                  // C2
    in.error("E0307", fmt::format("`value` must be a scalar or a tensor of rank 0, got {}", describe(in.type(2))));
  const auto* prim = find<PrimType>(in.type(2));
  DType fill = !prim ? in.tensor(2).dtype : find<PrimValue>(in.args[2]) ? x.dtype : prim->dtype;
  if (!fill.is_void() && !x.dtype.is_void() && fill != x.dtype)  // C4
    in.error("E0304", fmt::format("`value` is {}, `x` {}", fill.str(), x.dtype.str()), "use astype on one of them");
  Ref<VDevice> device = shared_vdevice(in, {&x, &mask});
  if (written(x) && written(mask))
    if (auto dims = broadcast_shape(in, *written(mask), *written(x)))  // C3
      return TensorType::make(std::move(*dims), x.dtype, device);
  int rank = x.rank == kUnknownRank || mask.rank == kUnknownRank ? kUnknownRank : std::max(x.rank, mask.rank);
  return TensorType::make_unknown(x.dtype, rank, device);
}

using Kind = TensorWish::Kind;

OpSample sample_fma(Sampler& s) {
  Expr x = s.tensor({});
  return {{x, s.like(x), s.like(x)}};
}

OpSample sample_where(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number}), y = partner(s, x);
  return {{s.tensor({.dims = partner_dims(s, sampled_dims(x)), .dtype = DType::bool_()}), x, y}};
}

OpSample sample_masked_fill(Sampler& s) {
  Expr x = s.tensor({.min_rank = 1, .dtype = DType::float_(32)});
  Expr mask = s.tensor({.dims = sampled_dims(x), .dtype = DType::bool_()});
  return {{x, mask, float_argument(-1.5)}};
}

}  // namespace

void register_ternary_ops(OpTable& ops) {
  ops.add({.name = "ewise_fma",
           .summary = "x1 * x2 + x3, without broadcasting.",
           .params = {{"x1", "tensor"}, {"x2", "tensor of x1's shape"}, {"x3", "tensor of x1's shape"}},
           .constraints = {"C1: all dtypes are the same", "C2: all ranks are the same", "C3: all shapes are the same"},
           .infer = infer_fma,
           .lower = lower_fma,
           .fuse = Fuse::Elementwise,
           .precision = Precision::Follow,
           .layout = layout_elementwise,
           .sample = sample_fma});
  ops.add({.name = "where",
           .summary = "x1 where the condition holds, else x2; all three are broadcast.",
           .params = {{"condition", "bool tensor (C1)"}, {"x1", "tensor or scalar"}, {"x2", "tensor or scalar"}},
           .constraints = {"C1: the condition is bool", "C2: x1 and x2 have one dtype", "C3: the shapes broadcast"},
           .infer = infer_where,
           .lower = lower_where,
           .fuse = Fuse::Broadcast,
           .precision = Precision::Follow,
           .layout = layout_elementwise,
           .sample = sample_where});
  ops.add({.name = "masked_fill",
           .summary = "x, with `value` where the mask holds.",
           .params = {{"x", "tensor"}, {"mask", "bool tensor (C1)"}, {"value", "scalar (C2, C4)", ParamKind::Value}},
           .constraints = {"C1: the mask is bool", "C2: value is a scalar", "C3: the shapes broadcast",
                           "C4: value is a number, or has the dtype of x"},
           .infer = infer_masked_fill,
           .decompose = decompose_masked_fill,
           .fuse = Fuse::Broadcast,
           .precision = Precision::Follow,
           .layout = layout_elementwise,
           .sample = sample_masked_fill});
}

}  // namespace sunmao
