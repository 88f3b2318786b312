// Ops that insert, remove, merge or broadcast dimensions, or sum over broadcast ones.
#include <fmt/format.h>

#include <algorithm>

#include "ops/broadcast.h"
#include "ops/layout_rule.h"
#include "ops/lowering.h"
#include "ops/ops.h"
#include "ops/samples/shared_samples.h"
#include "sym/index_map.h"

namespace sunmao {
namespace {

Type infer_expand_dims(const InferInput& in) {
  const TensorType& x = in.tensor(0);
  std::vector<int64_t> axes = in.ints_attr("axis").value_or(std::vector<int64_t>{});
  if (axes.empty()) return in.type(0);
  if (x.rank == kUnknownRank) return TensorType::make_unknown(x.dtype, kUnknownRank, x.vdevice);
  int rank = x.rank + static_cast<int>(axes.size());
  std::vector<int> added = distinct_axes(in, axes, rank);  // C1, C2
  if (!written(x)) return TensorType::make_unknown(x.dtype, rank, x.vdevice);
  std::vector<Scalar> dims;
  size_t next = 0;
  for (int i = 0; i < rank; ++i)
    dims.push_back(std::ranges::find(added, i) != added.end() ? int_imm(1) : (*written(x))[next++]);
  return TensorType::make(std::move(dims), x.dtype, x.vdevice);
}

// Returns which axes are removed: the named ones unless their size is known and not 1, or all of known size 1. Absent
// when no axes are named and a size is unknown.
std::optional<std::vector<bool>> squeezed_axes(const InferInput& in, const TensorType& x) {
  std::vector<bool> out(static_cast<size_t>(x.rank), false);
  auto given = in.ints_attr("axis");
  if (!given && !x.dims()) return std::nullopt;
  std::vector<int> axes;
  if (given)
    axes = distinct_axes(in, *given, x.rank);  // C1, C2
  else
    for (int i = 0; i < x.rank; ++i) axes.push_back(i);
  for (int a : axes) {
    size_t i = static_cast<size_t>(a);
    const int64_t* size = x.dims() ? find_int((*x.dims())[i]) : nullptr;
    if (!given && !size) return std::nullopt;
    out[i] = size ? *size == 1 : !x.dims() || in.can_agree((*x.dims())[i], int_imm(1));
  }
  return out;
}

Type infer_squeeze(const InferInput& in) {
  const TensorType& x = in.tensor(0);
  auto given = in.ints_attr("axis");
  if (given && given->empty()) return in.type(0);
  if (x.rank == kUnknownRank) return TensorType::make_unknown(x.dtype, kUnknownRank, x.vdevice);
  auto gone = squeezed_axes(in, x);
  if (!gone) return TensorType::make_unknown(x.dtype, kUnknownRank, x.vdevice);
  int kept = static_cast<int>(std::ranges::count(*gone, false));
  if (kept == x.rank) return in.type(0);
  if (!written(x)) return TensorType::make_unknown(x.dtype, given ? kept : kUnknownRank, x.vdevice);
  std::vector<Scalar> dims;
  for (size_t i = 0; i < gone->size(); ++i)
    if (!(*gone)[i]) dims.push_back((*written(x))[i]);
  return TensorType::make(std::move(dims), x.dtype, x.vdevice);
}

Type infer_flatten(const InferInput& in) {
  const TensorType& x = in.tensor(0);
  if (x.rank == 1) return in.type(0);
  if (x.rank == 0) return TensorType::make({int_imm(1)}, x.dtype, x.vdevice);
  if (!written(x)) return TensorType::make_unknown(x.dtype, 1, x.vdevice);
  return TensorType::make({in.analyzer().simplify(product(*written(x)))}, x.dtype, x.vdevice);
}

Type infer_batch_flatten(const InferInput& in) {
  const TensorType& x = in.tensor(0);
  if (x.rank != kUnknownRank && x.rank < 2)  // C1
    in.error("E0307", fmt::format("`data` must have rank 2 or more, got {}", x.rank));
  if (x.rank == 2) return in.type(0);
  if (!written(x)) return TensorType::make_unknown(x.dtype, 2, x.vdevice);
  Scalar rest = product(std::span(*written(x)).subspan(1));
  return TensorType::make({written(x)->front(), in.analyzer().simplify(rest)}, x.dtype, x.vdevice);
}

// expand_dims, squeeze, flatten and nn.batch_flatten keep the row-major order of elements, so each is a reshape to its
// inferred shape.
Expr decompose_to_reshape(const Call& call) {
  const auto* out = find<TensorType>(call.type);
  if (!out->dims()) return Expr(&call);
  return Call::make(builtin_ops().get("reshape"), {call.args[0], ShapeExpr::make(*out->dims())}, {}, {}, call.span);
}

Type infer_broadcast_to(const InferInput& in) {
  const TensorType& x = in.tensor(0);
  const ShapeType& target = in.shape(1);                                              // C1
  if (x.rank != kUnknownRank && target.rank != kUnknownRank && target.rank < x.rank)  // C2
    in.error("E0309", fmt::format("the shape has {} dimensions, the tensor {}", target.rank, x.rank));
  if (x.dims() && target.values) {
    size_t lead = target.values->size() - x.dims()->size();
    for (size_t i = 0; i < x.dims()->size(); ++i) {
      const Scalar &from = (*x.dims())[i], &to = (*target.values)[lead + i];
      if (!in.can_repeat(from, to))  // C3
        in.error("E0303",
                 fmt::format("a dimension of size {} cannot be broadcast to {}", describe(from), describe(to)));
    }
  }
  return shaped_by(in, 1, x.dtype, x.vdevice);
}

Ref<BaseFunc> lower_broadcast_to(const Call& call) {
  KernelBuilder k("broadcast_to");
  Ref<Buffer> x = k.input("A", call.args[0]->type), y = k.output("T_broadcast_to", call.type);
  k.compute(y, "T_broadcast_to", [&](const Indices& at) { return load(x, repeated_indices(x->shape, y->shape, at)); });
  return std::move(k).finish();
}

// Checks that the target's shape broadcasts to the shape of `data`: C2 of collapse_sum_to, C1 of collapse_sum_like.
void check_collapse(const InferInput& in, const TensorType& data, const std::vector<Scalar>* target) {
  if (!data.dims() || !target) return;
  if (target->size() > data.dims()->size())
    in.error("E0309", fmt::format("the shape has {} dimensions, the tensor {}", target->size(), data.dims()->size()));
  size_t lead = data.dims()->size() - target->size();
  for (size_t i = 0; i < target->size(); ++i) {
    const Scalar &from = (*data.dims())[lead + i], &to = (*target)[i];
    const int64_t* size = find_int(to);
    if ((size && *size == 1) || in.analyzer().can_prove_equal(from, to)) continue;
    in.error("E0309",
             fmt::format("dimension {} of size {} does not collapse to {}", lead + i, describe(from), describe(to)));
  }
}

Type infer_collapse_to(const InferInput& in) {
  const TensorType& data = in.tensor(0);
  const ShapeType& target = in.shape(1);  // C1
  check_collapse(in, data, target.values ? &*target.values : nullptr);
  return shaped_by(in, 1, data.dtype, data.vdevice);
}

Type infer_collapse_like(const InferInput& in) {
  const TensorType &data = in.tensor(0), &target = in.tensor(1);
  check_collapse(in, data, target.dims());
  shared_vdevice(in, {&data, &target});
  Ref<VDevice> device = data.vdevice ? data.vdevice : target.vdevice;
  return target.shape ? TensorType::make_with_shape(target.shape, data.dtype, device)
                      : TensorType::make_unknown(data.dtype, target.rank, device);
}

Ref<BaseFunc> lower_collapse(const Call& call) {
  KernelBuilder k("collapse_sum");
  Ref<Buffer> x = k.input("A", call.args[0]->type);
  if (find<TensorType>(call.args[1]->type)) k.input("B", call.args[1]->type);
  Ref<Buffer> y = k.output("T_sum", call.type);
  size_t lead = x->shape.size() - y->shape.size();
  std::vector<Scalar> extents(x->shape.begin(), x->shape.begin() + static_cast<std::ptrdiff_t>(lead));
  std::vector<bool> summed_axes(y->shape.size(), false);
  for (size_t i = 0; i < y->shape.size(); ++i) {
    const int64_t *to = find_int(y->shape[i]), *from = find_int(x->shape[lead + i]);
    summed_axes[i] = to && *to == 1 && !(from && *from == 1);
    if (summed_axes[i]) extents.push_back(x->shape[lead + i]);
  }
  k.reduce(y, "T_sum", extents, summed(y->dtype), [&](const Indices& at, const Indices& r) {
    Indices from(r.begin(), r.begin() + static_cast<std::ptrdiff_t>(lead));
    size_t next = lead;
    for (size_t i = 0; i < at.size(); ++i) from.push_back(summed_axes[i] ? r[next++] : at[i]);
    return load(x, from);
  });
  return std::move(k).finish();
}

using Kind = TensorWish::Kind;

OpSample sample_expand(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number, .max_rank = 3});
  return {{x}, {{"axis", AttrValue::ints({s.axis(sampled_rank(x) + 1)})}}};
}

OpSample sample_squeeze(Sampler& s) {
  Dims dims = s.dims(0, 3);
  const size_t place = s.below(dims.size() + 1);
  dims.insert(dims.begin() + static_cast<ptrdiff_t>(place), int_imm(1));
  return {{s.tensor({.kind = Kind::Number, .dims = dims})}, {{"axis", AttrValue::ints({static_cast<int64_t>(place)})}}};
}

OpSample sample_broadcast(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number, .max_rank = 3, .size = Sizes::Whole});
  Dims target = sampled_dims(x);
  for (Scalar& d : target)
    if (*find_int(d) == 1 && s.chance(60)) d = int_imm(s.between(1, 4));
  if (s.chance(40)) target.insert(target.begin(), int_imm(s.between(1, 3)));
  return {{x, ShapeExpr::make(std::move(target))}};
}

OpSample sample_batches(Sampler& s) { return {{s.tensor({.kind = Kind::Number, .min_rank = 2})}}; }

OpSample sample_collapse(Sampler& s) {
  Expr x = s.tensor({.min_rank = 1, .size = Sizes::Whole});
  Dims target = sampled_dims(x);
  for (Scalar& d : target)
    if (s.chance(50)) d = int_imm(1);
  if (s.chance(40)) target.erase(target.begin());
  return {{x, ShapeExpr::make(std::move(target))}};
}

OpSample sample_collapse_like(Sampler& s) {
  OpSample sample = sample_collapse(s);
  sample.args[1] = s.beside(sample.args[0], *find<ShapeType>(sample.args[1]->type)->values);
  return sample;
}

OpInfo reorder(const char* name, const char* summary, std::vector<OpParam> params, std::vector<std::string> constraints,
               InferFn infer, SampleFn sample, LayoutFn layout = nullptr) {
  return {.name = name,
          .summary = summary,
          .params = std::move(params),
          .constraints = std::move(constraints),
          .infer = infer,
          .lower = [](const Call& call) { return lower_row_major(call, op_of(call)->name()); },
          .decompose = decompose_to_reshape,
          .fuse = Fuse::Injective,
          .precision = Precision::Follow,
          .layout = layout,
          .sample = sample};
}

}  // namespace

void register_shape_change_ops(OpTable& ops) {
  ops.add(reorder("expand_dims", "x with axes of size 1 put in; `axis` counts in the result.",
                  {{"x", "tensor"}, ints_param("axis", "where the new axes stand (C1, C2)")},
                  {"C1: each axis is in [-rank, rank - 1] of the result", "C2: none twice"}, infer_expand_dims,
                  sample_expand, layout_expand_dims));
  ops.add(reorder("squeeze", "x without axes of size 1.",
                  {{"x", "tensor"}, ints_param("axis", "which ones; None: all of size 1 (C1, C2)", AttrValue())},
                  {"C1: each axis is in [-rank, rank - 1]", "C2: none twice"}, infer_squeeze, sample_squeeze,
                  layout_squeeze));
  ops.add(reorder("flatten", "The elements of x as one dimension.", {{"x", "tensor"}}, {}, infer_flatten,
                  sample_unary<Kind::Number>));
  ops.add(reorder("nn.batch_flatten", "data with all but the first dimension made one.",
                  {{"data", "tensor of rank >= 2 (C1)"}}, {"C1: the rank is at least 2"}, infer_batch_flatten,
                  sample_batches));
  ops.add({.name = "broadcast_to",
           .summary = "x repeated along axes of size 1, up to a shape.",
           .params = {{"x", "tensor"}, {"shape", "shape (C1, C2, C3)", ParamKind::Shape}},
           .constraints = {"C1: the second argument is a shape", "C2: it has as many dimensions as x or more",
                           "C3: the sizes are equal, or x's is 1"},
           .infer = infer_broadcast_to,
           .lower = lower_broadcast_to,
           .fuse = Fuse::Broadcast,
           .precision = Precision::Follow,
           .sample = sample_broadcast});
  ops.add({.name = "collapse_sum_to",
           .summary = "data summed over what broadcasting from a shape had repeated.",
           .params = {{"data", "tensor"}, {"shape", "shape (C1, C2)", ParamKind::Shape}},
           .constraints = {"C1: the second argument is a shape", "C2: it broadcasts to the shape of data"},
           .infer = infer_collapse_to,
           .lower = lower_collapse,
           .fuse = Fuse::Reduce,
           .sample = sample_collapse});
  ops.add({.name = "collapse_sum_like",
           .summary = "data summed over what broadcasting from the target's shape had repeated.",
           .params = {{"data", "tensor"}, {"collapse_target", "tensor whose shape is taken (C1)"}},
           .constraints = {"C1: its shape broadcasts to that of data"},
           .infer = infer_collapse_like,
           .lower = lower_collapse,
           .fuse = Fuse::Reduce,
           .sample = sample_collapse_like});
}

}  // namespace sunmao
