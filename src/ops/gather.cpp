// Ops that read elements at indices held in tensors.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ops/broadcast.h"
#include "ops/layout_rule.h"
#include "ops/lowering.h"
#include "ops/ops.h"
#include "ops/samples/shared_samples.h"

namespace sunmao {
namespace {

Type infer_take(const InferInput& in) {
  const TensorType& x = in.tensor(0);
  const auto* prim = find<PrimType>(in.type(1));
  const TensorType* indices = prim ? nullptr : &in.tensor(1);
  need_integers(in, "indices", prim ? prim->dtype : indices->dtype);  // C1
  word_attr(in, "mode", {"fast", "wrap", "clip", "nan"});             // C2
  Ref<VDevice> device = indices ? shared_vdevice(in, {&x, indices}) : x.vdevice;
  int taken = prim ? 0 : indices->rank;
  static const std::vector<Scalar> kNone;
  const std::vector<Scalar>* index_dims = prim ? &kNone : written(*indices);
  bool flat = in.attr("axis").is_none();
  if (flat && x.rank != kUnknownRank && x.rank != 1)  // C3
    in.error("E0307", fmt::format("without `axis` the tensor must have rank 1, got {}", x.rank));
  if (x.rank == kUnknownRank && flat && index_dims) return TensorType::make(*index_dims, x.dtype, device);
  if (x.rank == kUnknownRank || taken == kUnknownRank) return TensorType::make_unknown(x.dtype, kUnknownRank, device);
  int axis = flat ? 0 : in.normalize_axis(in.int_attr("axis"), x.rank);  // C4
  int rank = x.rank + taken - 1;
  if (index_dims && x.rank == 1) return TensorType::make(*index_dims, x.dtype, device);
  if (!written(x) || !index_dims) return TensorType::make_unknown(x.dtype, rank, device);
  std::vector<Scalar> dims = *written(x);
  auto place = dims.erase(dims.begin() + axis);
  dims.insert(place, index_dims->begin(), index_dims->end());
  return TensorType::make(std::move(dims), x.dtype, device);
}

Ref<BaseFunc> lower_take(const Call& call) {
  InferInput in = input_of(call);
  KernelBuilder k("take");
  Ref<Buffer> x = k.input("A", call.args[0]->type);
  Ref<Buffer> indices = find<TensorType>(call.args[1]->type) ? k.input("B", call.args[1]->type) : nullptr;
  Ref<Buffer> y = k.output("T_take", call.type);
  size_t axis = in.attr("axis").is_none() ? 0 : static_cast<size_t>(in.normalize_axis(in.int_attr("axis"), x->rank()));
  std::string mode = in.string_attr("mode");
  size_t count = indices ? indices->shape.size() : 0;
  k.compute(y, "T_take", [&](const Indices& at) {
    auto begin = at.begin() + static_cast<std::ptrdiff_t>(axis), end = begin + static_cast<std::ptrdiff_t>(count);
    Scalar i = as_index(indices ? load(indices, Indices(begin, end)) : scalar_value(call.args[1]));
    Indices from(at.begin(), begin);
    const Scalar& size = x->shape[axis];
    if (mode == "clip") i = min(max(i, int_imm(0)), size - int_imm(1));
    if (mode == "wrap") i = floor_mod(i, size);
    // The modes clip and wrap make every index valid unless the axis has no elements; the index is therefore checked
    // when the size is not a positive constant.
    const bool has_elements = find_int(size) && *find_int(size) > 0;
    if (mode == "fast")
      i = checked_index_of(call, i, size, in.bool_attr("from_end"));
    else if (mode != "nan" && !has_elements)
      i = checked(call, i, size);
    from.push_back(i);
    from.insert(from.end(), end, at.end());
    if (mode != "nan") return load(x, from);
    Scalar inside = both(at_least(i, int_imm(0)), less(i, x->shape[axis]));
    return choose(inside, load(x, from), constant(y->dtype, y->dtype.is_float() ? std::nan("") : 0));
  });
  return std::move(k).finish();
}

Type infer_gather_elements(const InferInput& in) {
  const TensorType &x = in.tensor(0), &indices = in.tensor(1);
  need_integers(in, "indices", indices.dtype);  // C1
  Ref<VDevice> device = shared_vdevice(in, {&x, &indices});
  if (x.rank != kUnknownRank && indices.rank != kUnknownRank && x.rank != indices.rank)  // C2
    in.error("E0307", fmt::format("`data` has rank {}, `indices` has rank {}", x.rank, indices.rank));
  if (x.rank == kUnknownRank) return TensorType::make_unknown(x.dtype, kUnknownRank, device);
  const auto axis = static_cast<size_t>(in.normalize_axis(in.int_attr("axis"), x.rank));  // C3
  if (x.dims() && indices.dims())
    for (size_t i = 0; i < x.dims()->size(); ++i)
      if (i != axis && !in.can_reach((*x.dims())[i], (*indices.dims())[i]))  // C4
        in.error("E0309", fmt::format("dimension {} of `indices` is {}, `data` has {}", i,
                                      describe((*indices.dims())[i]), describe((*x.dims())[i])));
  if (written(indices)) return TensorType::make(*written(indices), x.dtype, device);
  return TensorType::make_unknown(x.dtype, indices.rank, device);
}

Ref<BaseFunc> lower_gather_elements(const Call& call) {
  InferInput in = input_of(call);
  KernelBuilder k("gather_elements");
  Ref<Buffer> x = k.input("A", call.args[0]->type), indices = k.input("B", call.args[1]->type),
              y = k.output("T_gather", call.type);
  size_t axis = static_cast<size_t>(in.normalize_axis(in.int_attr("axis"), x->rank()));
  k.compute(y, "T_gather", [&](const Indices& at) {
    const Scalar place = checked_index_of(call, as_index(load(indices, at)), x->shape[axis], in.bool_attr("from_end"));
    return load(x, with_index(at, axis, place));
  });
  return std::move(k).finish();
}

Type infer_gather_nd(const InferInput& in) {
  const TensorType &x = in.tensor(0), &indices = in.tensor(1);
  need_integers(in, "indices", indices.dtype);  // C1
  Ref<VDevice> device = shared_vdevice(in, {&x, &indices});
  int64_t batch = in.int_attr("batch_dims");
  if (indices.rank == 0) in.error("E0307", "`indices` must have rank 1 or more, got 0");  // C3
  if (batch < 0 || (indices.rank != kUnknownRank && batch >= indices.rank))               // C2
    in.error("E0203", fmt::format("`batch_dims` cannot be {} where `indices` has rank {}", batch, indices.rank),
             "at least 0, and below the rank of the indices");
  const int64_t* length = indices.dims() && indices.rank > 0 ? find_int(indices.dims()->back()) : nullptr;
  if (x.rank != kUnknownRank && length && batch + *length > x.rank)  // C4
    in.error("E0309",
             fmt::format("{} indices into a tensor of rank {} behind {} batch dimensions", *length, x.rank, batch));
  if (x.dims() && indices.dims() && batch <= x.rank)
    for (size_t i = 0; i < static_cast<size_t>(batch); ++i)
      if (!in.can_agree((*x.dims())[i], (*indices.dims())[i]))  // C5
        in.error("E0309", fmt::format("batch dimension {} differs: {} against {}", i, describe((*x.dims())[i]),
                                      describe((*indices.dims())[i])));
  if (x.rank == kUnknownRank || !length) return TensorType::make_unknown(x.dtype, kUnknownRank, device);
  int rank = indices.rank - 1 + x.rank - static_cast<int>(batch + *length);
  if (!written(x) || !written(indices)) return TensorType::make_unknown(x.dtype, rank, device);
  std::vector<Scalar> dims(written(indices)->begin(), written(indices)->end() - 1);
  dims.insert(dims.end(), written(x)->begin() + batch + *length, written(x)->end());
  return TensorType::make(std::move(dims), x.dtype, device);
}

Ref<BaseFunc> lower_gather_nd(const Call& call) {
  InferInput in = input_of(call);
  KernelBuilder k("gather_nd");
  Ref<Buffer> x = k.input("A", call.args[0]->type), indices = k.input("B", call.args[1]->type),
              y = k.output("T_gather_nd", call.type);
  auto batch = static_cast<std::ptrdiff_t>(in.int_attr("batch_dims"));
  size_t lead = indices->shape.size() - 1;
  int64_t length = *find_int(indices->shape.back());
  k.compute(y, "T_gather_nd", [&](const Indices& at) {
    Indices from(at.begin(), at.begin() + batch);
    for (int64_t j = 0; j < length; ++j) {
      Indices place(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(lead));
      place.push_back(int_imm(j));
      from.push_back(checked_from_end(call, as_index(load(indices, place)), x->shape[from.size()]));
    }
    from.insert(from.end(), at.begin() + static_cast<std::ptrdiff_t>(lead), at.end());
    return load(x, from);
  });
  return std::move(k).finish();
}

// Advanced indexing: one index tensor for each leading axis. The index tensors are broadcast, and the remaining axes
// follow.
Type infer_index_tensor(const InferInput& in) {
  const TensorType& x = in.tensor(0);
  std::vector<const TensorType*> indices = in.tensors(1);
  if (indices.empty()) in.error("E0202", "needs one index tensor at least, got none");  // C1
  std::vector<Scalar> dims;
  bool known = true;
  int rank = 0;
  for (const TensorType* t : indices) {
    need_integers(in, "indices", t->dtype);  // C2
    known = known && written(*t);
    rank = rank == kUnknownRank || t->rank == kUnknownRank ? kUnknownRank : std::max(rank, t->rank);
    if (!known) continue;
    auto joined = broadcast_shape(in, dims, *written(*t));  // C3
    known = joined.has_value();
    if (known) dims = std::move(*joined);
  }
  int count = static_cast<int>(indices.size());
  if (x.rank != kUnknownRank && count > x.rank)  // C4
    in.error("E0309", fmt::format("{} index tensors for a tensor of rank {}", count, x.rank));
  if (x.rank == kUnknownRank || rank == kUnknownRank) return TensorType::make_unknown(x.dtype, kUnknownRank, x.vdevice);
  if (!known || !written(x)) return TensorType::make_unknown(x.dtype, rank + x.rank - count, x.vdevice);
  dims.insert(dims.end(), written(x)->begin() + count, written(x)->end());
  return TensorType::make(std::move(dims), x.dtype, x.vdevice);
}

Ref<BaseFunc> lower_index_tensor(const Call& call) {
  KernelBuilder k("index_tensor");
  Ref<Buffer> x = k.input("data", call.args[0]->type);
  std::vector<Ref<Buffer>> indices = inputs_of(k, call.args[1]);
  Ref<Buffer> y = k.output("T_index", call.type);
  size_t lead = y->shape.size() - (x->shape.size() - indices.size());
  k.compute(y, "T_index", [&](const Indices& at) {
    Indices shared(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(lead)), from;
    for (const Ref<Buffer>& i : indices)
      from.push_back(
          checked_from_end(call, as_index(load(i, broadcast_indices(i->shape, shared))), x->shape[from.size()]));
    from.insert(from.end(), at.begin() + static_cast<std::ptrdiff_t>(lead), at.end());
    return load(x, from);
  });
  return std::move(k).finish();
}

using Kind = TensorWish::Kind;

// Draws indices that are out of bounds where the mode allows them; without an axis the tensor has rank 1.
OpSample sample_take(Sampler& s) {
  static const std::vector<std::string> kModes{"fast", "fast", "clip", "wrap", "nan"};
  const std::string& mode = s.one_of(kModes);
  const bool has_axis = s.chance(80);
  Expr x = s.tensor({.kind = Kind::Number, .min_rank = 1, .max_rank = has_axis ? 3 : 1, .size = Sizes::Some});
  const int64_t axis = has_axis ? s.axis(sampled_rank(x)) : 0, size = s.size_along(axis, x),
                beyond = mode == "fast" ? 0 : 2;
  const bool from_end = s.chance(70);
  const int64_t least = from_end ? -size - beyond : 0;
  OpSample sample{{x, s.places(s.dims(0, 2), size + beyond, least)}, {{"mode", mode}, {"from_end", from_end}}};
  if (has_axis) sample.attrs["axis"] = axis;
  return sample;
}

OpSample sample_gather(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number, .min_rank = 1, .max_rank = 3, .size = Sizes::Some});
  const int64_t axis = s.axis(sampled_rank(x)), size = s.size_along(axis, x);
  const bool from_end = s.chance(70);
  return {{x, s.places(dims_with(x, axis, int_imm(s.between(0, 4))), size, from_end ? -size : 0)},
          {{"axis", axis}, {"from_end", from_end}}};
}

// The indices of gather_nd have the shared batch axes, some free axes, then the length of the index vectors as
// dimensions.
OpSample sample_gather_nd(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number, .min_rank = 2, .max_rank = 3, .size = Sizes::Some});
  const int64_t shared = s.between(0, 1), length = s.between(1, sampled_rank(x) - shared);
  int64_t least = s.size_along(shared, x);
  for (int64_t i = 1; i < length; ++i) least = std::min(least, s.size_along(shared + i, x));
  Dims dims(sampled_dims(x).begin(), sampled_dims(x).begin() + shared);
  for (const Scalar& d : s.dims(0, 2)) dims.push_back(d);
  dims.push_back(int_imm(length));
  return {{x, s.places(dims, least, -least)}, {{"batch_dims", shared}}};
}

OpSample sample_index_tensor(Sampler& s) {
  Expr x = sampled_data(s);
  return {{x, Tuple::make(index_tensors(s, x, some_axes(s, x)))}};
}

}  // namespace

void register_gather_ops(OpTable& ops) {
  ops.add(
      {.name = "take",
       .summary = "The slices of x along an axis that the indices name. An index below 0 counts from the end.",
       .params = {{"x", "tensor"},
                  {"indices", "integer tensor or scalar (C1)"},
                  int_param("axis", "the axis; None for x of rank 1 (C3, C4)", AttrValue()),
                  string_param("mode", "beyond the ends: \"fast\" trusts, \"wrap\", \"clip\", \"nan\" (C2)", "fast"),
                  bool_param("from_end", "of mode \"fast\": whether an index below 0 counts from the end", true)},
       .constraints = {"C1: the indices are integers", "C2: mode is one of the four",
                       "C3: without an axis the rank is 1", "C4: axis is in [-rank, rank - 1]"},
       .infer = infer_take,
       .lower = lower_take,
       .fuse = Fuse::Injective,
       .sample = sample_take});
  ops.add(
      {.name = "gather_elements",
       .summary = "The elements of data at indices along one axis, the other axes staying.",
       .params = {{"data", "tensor"},
                  {"indices", "integer tensor of data's rank (C1, C2, C4)"},
                  int_param("axis", "the axis (C3)", 0),
                  from_end_param()},
       .constraints = {"C1: the indices are integers", "C2: both ranks are the same",
                       "C3: axis is in [-rank, rank - 1]", "C4: beside the axis indices is as large as data at most"},
       .infer = infer_gather_elements,
       .lower = lower_gather_elements,
       .fuse = Fuse::Injective,
       .layout = layout_joint_axis,
       .sample = sample_gather});
  ops.add({.name = "gather_nd",
           .summary = "The slices of data at the index vectors that the last axis of `indices` holds.",
           .params = {{"data", "tensor"},
                      {"indices", "integer tensor of rank >= 1 (C1, C3, C4, C5)"},
                      int_param("batch_dims", "leading axes that both share (C2, C5)", 0)},
           .constraints = {"C1: the indices are integers", "C2: batch_dims is in [0, rank of indices - 1]",
                           "C3: indices has rank 1 or more",
                           "C4: the index vectors are not longer than data has axes behind the batch",
                           "C5: the batch dimensions agree"},
           .infer = infer_gather_nd,
           .lower = lower_gather_nd,
           .fuse = Fuse::Injective,
           .sample = sample_gather_nd});
  ops.add({.name = "index_tensor",
           .summary = "data[indices[0], indices[1], …], the index tensors broadcast against each other.",
           .params = {{"data", "tensor"}, {"indices", "tuple of integer tensors (C1, C2, C3, C4)", ParamKind::Tuple}},
           .constraints = {"C1: one index tensor at least", "C2: they are integers", "C3: they broadcast",
                           "C4: not more than data has axes"},
           .infer = infer_index_tensor,
           .lower = lower_index_tensor,
           .fuse = Fuse::Injective,
           .sample = sample_index_tensor});
}

}  // namespace sunmao
