// Ops that convert between one tensor and several: concatenation, stacking, splitting, grids.
#include <fmt/format.h>

#include <algorithm>

#include "ops/broadcast.h"
#include "ops/layout_rule.h"
#include "ops/lowering.h"
#include "ops/ops.h"
#include "ops/samples/sampler.h"
#include "sym/index_map.h"
#include "sym/walk.h"

namespace sunmao {
namespace {

// Returns the common dtype of the tensors; void when one of them has an unknown dtype.
DType joint_dtype(const InferInput& in, const std::vector<const TensorType*>& tensors) {
  DType dtype = DType::void_();
  bool unknown = false;
  for (const TensorType* t : tensors) {
    if (t->dtype.is_void()) {
      unknown = true;
    } else if (dtype.is_void()) {
      dtype = t->dtype;
    } else if (dtype != t->dtype) {
      in.error("E0304", fmt::format("tensors differ in dtype: {} and {}", dtype.str(), t->dtype.str()),
               "use astype on one of them");
    }
  }
  return unknown ? DType::void_() : dtype;
}

int joint_rank(const InferInput& in, const std::vector<const TensorType*>& tensors) {
  int rank = kUnknownRank;
  for (const TensorType* t : tensors) {
    if (t->rank == kUnknownRank) continue;
    if (rank != kUnknownRank && rank != t->rank)
      in.error("E0307", fmt::format("tensors differ in rank: {} and {}", rank, t->rank));
    rank = t->rank;
  }
  return rank;
}

std::vector<const TensorType*> some_tensors(const InferInput& in) {
  std::vector<const TensorType*> out = in.tensors(0);
  if (out.empty()) in.error("E0202", "needs one tensor at least, got none");
  return out;
}

Type infer_concat(const InferInput& in) {
  std::vector<const TensorType*> tensors = some_tensors(in);  // C1
  DType dtype = joint_dtype(in, tensors);                     // C2
  int rank = joint_rank(in, tensors);                         // C3
  Ref<VDevice> device = shared_vdevice(in, tensors);
  bool flat = in.attr("axis").is_none();
  if (rank == kUnknownRank)
    return tensors.size() == 1 ? Type(tensors[0]) : TensorType::make_unknown(dtype, kUnknownRank, device);
  if (flat && rank != 1)  // C4
    in.error("E0307", fmt::format("without `axis` all must have rank 1, got {}", rank));
  size_t axis = flat ? 0 : static_cast<size_t>(in.normalize_axis(in.int_attr("axis"), rank));  // C5
  if (tensors.size() == 1) return Type(tensors[0]);
  std::optional<std::vector<Scalar>> dims;
  bool known = true;
  for (const TensorType* t : tensors) {
    if (!t->dims()) {
      known = false;
      continue;
    }
    if (!written(*t)) known = false;
    if (!dims) {
      dims = *t->dims();
      continue;
    }
    for (size_t i = 0; i < dims->size(); ++i) {
      if (i == axis) {
        (*dims)[i] = number_or(in, (*dims)[i] + (*t->dims())[i]);
      } else if (!in.can_agree((*dims)[i], (*t->dims())[i])) {  // C6
        in.error("E0309", fmt::format("dimension {} differs: {} against {}", i, describe((*dims)[i]),
                                      describe((*t->dims())[i])));
      } else if (!in.analyzer().can_prove_equal((*dims)[i], (*t->dims())[i])) {
        known = false;
      }
    }
  }
  if (!known) return TensorType::make_unknown(dtype, rank, device);
  const Scalar& first = (*tensors[0]->dims())[axis];
  bool are_equal =
      std::ranges::all_of(tensors, [&](const TensorType* t) { return structural_equal((*t->dims())[axis], first); });
  if (are_equal) (*dims)[axis] = number_or(in, first * int_imm(static_cast<int64_t>(tensors.size())));
  return TensorType::make(std::move(*dims), dtype, device);
}

// Tensors that one kernel puts together: it has a loop for each, and LLVM takes 3 ms a loop for 64 of them in a
// function and 9 ms for 1,000, measured.
constexpr size_t kMostJoined = 64;

size_t joined_count(const Call& call) {
  const auto* tuple = find<TupleType>(call.args[0]->type);
  return tuple ? tuple->fields.size() : 1;
}

// More tensors than one kernel puts together are joined in groups, and the groups along the same axis.
Expr joined_in_groups(const Call& call) {
  const size_t count = joined_count(call);
  if (count <= kMostJoined) return Expr(&call);
  const auto* literal = find<Tuple>(call.args[0]);
  std::vector<Expr> groups;
  for (size_t begin = 0; begin < count; begin += kMostJoined) {
    std::vector<Expr> tensors;
    for (size_t i = begin; i < std::min(begin + kMostJoined, count); ++i)
      tensors.push_back(literal ? literal->fields[i] : TupleGetItem::make(call.args[0], static_cast<int>(i)));
    groups.push_back(Call::make(call.callee, {Tuple::make(std::move(tensors))}, call.attrs, {}, call.span));
  }
  return Call::make(builtin_ops().get("concat"), {Tuple::make(std::move(groups))}, call.attrs, {}, call.span);
}

Ref<BaseFunc> lower_concat(const Call& call) {
  if (joined_count(call) > kMostJoined) return nullptr;
  InferInput in = input_of(call);
  KernelBuilder k("concatenate");
  std::vector<Ref<Buffer>> parts = inputs_of(k, call.args[0]);
  Ref<Buffer> y = k.output("T_concat", call.type);
  size_t axis = in.attr("axis").is_none() ? 0 : static_cast<size_t>(in.normalize_axis(in.int_attr("axis"), y->rank()));
  std::vector<Scalar> begins{int_imm(0)};
  for (const Ref<Buffer>& p : parts) begins.push_back(in.analyzer().simplify(begins.back() + p->shape[axis]));
  k.compute(y, "T_concat", [&](const Indices& at) {
    Scalar value;
    for (size_t i = parts.size(); i-- > 0;) {
      Scalar part = load(parts[i], with_index(at, axis, i == 0 ? at[axis] : at[axis] - begins[i]));
      value = value ? choose(less(at[axis], begins[i + 1]), part, value) : part;
    }
    return value;
  });
  return std::move(k).finish();
}

Type infer_stack(const InferInput& in) {
  std::vector<const TensorType*> tensors = some_tensors(in);  // C1
  DType dtype = joint_dtype(in, tensors);                     // C2
  int rank = joint_rank(in, tensors);                         // C3
  Ref<VDevice> device = shared_vdevice(in, tensors);
  if (rank == kUnknownRank) return TensorType::make_unknown(dtype, kUnknownRank, device);
  size_t axis = static_cast<size_t>(in.normalize_axis(in.int_attr("axis"), rank + 1));  // C4
  const std::vector<Scalar>* first = nullptr;
  bool known = true;
  for (const TensorType* t : tensors) {
    if (!written(*t)) {
      known = false;
      continue;
    }
    if (!first) first = written(*t);
    for (size_t i = 0; i < first->size(); ++i) {
      if (!in.can_agree((*first)[i], (*written(*t))[i]))  // C5
        in.error("E0309", fmt::format("dimension {} differs: {} against {}", i, describe((*first)[i]),
                                      describe((*written(*t))[i])));
      known = known && in.analyzer().can_prove_equal((*first)[i], (*written(*t))[i]);
    }
  }
  if (!known) return TensorType::make_unknown(dtype, rank + 1, device);
  return TensorType::make(insert_index(*first, axis, int_imm(static_cast<int64_t>(tensors.size()))), dtype, device);
}

Ref<BaseFunc> lower_stack(const Call& call) {
  if (joined_count(call) > kMostJoined) return nullptr;
  InferInput in = input_of(call);
  KernelBuilder k("stack");
  std::vector<Ref<Buffer>> parts = inputs_of(k, call.args[0]);
  Ref<Buffer> y = k.output("T_stack", call.type);
  size_t axis = static_cast<size_t>(in.normalize_axis(in.int_attr("axis"), y->rank()));
  k.compute(y, "T_stack", [&](const Indices& at) {
    Scalar value;
    for (size_t i = parts.size(); i-- > 0;) {
      Scalar part = load(parts[i], without_index(at, axis));
      value = value ? choose(less(at[axis], int_imm(static_cast<int64_t>(i + 1))), part, value) : part;
    }
    return value;
  });
  return std::move(k).finish();
}

// Returns the offsets at which the parts of a split begin, then the size of the axis; negative offsets become 0.
std::vector<Scalar> split_borders(const InferInput& in, const Scalar& size) {
  std::vector<Scalar> out{int_imm(0)};
  if (const int64_t* sections = in.attr("indices_or_sections").find<int64_t>()) {
    Scalar step = in.analyzer().simplify(floor_div(size + int_imm(*sections - 1), int_imm(*sections)));
    for (int64_t i = 1; i < *sections; ++i) out.push_back(in.analyzer().simplify(step * int_imm(i)));
  } else {
    std::vector<int64_t> given = in.ints_attr("indices_or_sections").value_or(std::vector<int64_t>{});
    for (int64_t border : given) out.push_back(int_imm(std::max<int64_t>(border, 0)));
  }
  out.push_back(size);
  return out;
}

// True when the extent of a part of a split is free of min and max, i.e. it is decided on which side of the tensor's
// end each border lies.
bool is_decided(const Scalar& extent) {
  bool open = false;
  visit_all(extent, [&](const Scalar& s) {
    const auto* b = find<Binary>(s);
    open = open || (b && (b->op == BinaryOp::Min || b->op == BinaryOp::Max));
  });
  return !open;
}

constexpr int64_t kMostSections = 1 << 16;  // each is a field of the result's type

Type infer_split(const InferInput& in) {
  const TensorType& x = in.tensor(0);
  const AttrValue& how = in.attr("indices_or_sections");
  const int64_t* sections = how.find<int64_t>();
  auto borders = how.as_ints();
  if (!sections && !borders) in.error("E0203", "`indices_or_sections` must be an integer or a list of integers");  // C1
  if (sections && *sections <= 0) in.error("E0203", fmt::format("cannot split into {} sections", *sections));      // C2
  if (sections && *sections > kMostSections)                                                                       // C4
    in.error("E0203", fmt::format("cannot split into {} sections: {} are the most", *sections, kMostSections));
  size_t count = sections ? static_cast<size_t>(*sections) : borders->size() + 1;
  std::optional<size_t> axis;
  if (x.rank != kUnknownRank) axis = static_cast<size_t>(in.normalize_axis(in.int_attr("axis"), x.rank));  // C3
  if (count == 1) return in.type(0);
  if (!written(x))
    return TupleType::make(std::vector<Type>(count, TensorType::make_unknown(x.dtype, x.rank, x.vdevice)));
  const Scalar& size = (*written(x))[*axis];
  std::vector<Scalar> at = split_borders(in, size);
  if (sections && !in.can_reach(size, at[count - 1]))  // C5
    in.error("E0203", fmt::format("an axis of size {} cannot be split into {} sections of {}", describe(size),
                                  *sections, describe(in.analyzer().simplify(at[1]))));
  std::vector<Type> fields;
  for (size_t i = 0; i < count; ++i) {
    Scalar extent = sections && i + 1 < count ? at[1] : at[i + 1] - at[i];
    if (!sections) {
      Scalar end = i + 1 == count ? size : min(at[i + 1], size);
      extent = max(end - (i + 1 == count ? at[i] : min(at[i], size)), int_imm(0));
    }
    const Scalar simple = in.analyzer().simplify(extent);
    if (find_int(simple) || (!sections && is_decided(simple))) extent = simple;
    fields.push_back(TensorType::make(with_index(*written(x), *axis, extent), x.dtype, x.vdevice));
  }
  return TupleType::make(std::move(fields));
}

Ref<BaseFunc> lower_split(const Call& call) {
  InferInput in = input_of(call);
  KernelBuilder k("split");
  Ref<Buffer> x = k.input("A", call.args[0]->type);
  size_t axis = static_cast<size_t>(in.normalize_axis(in.int_attr("axis"), x->rank()));
  std::vector<Scalar> begins = split_borders(in, x->shape[axis]);
  const auto* tuple = find<TupleType>(call.type);
  std::vector<Type> fields = tuple ? tuple->fields : std::vector{call.type};
  std::vector<Ref<Buffer>> outs;
  for (size_t i = 0; i < fields.size(); ++i) outs.push_back(k.output(fmt::format("T_split_{}", i), fields[i]));
  for (size_t i = 0; i < outs.size(); ++i)
    k.compute(outs[i], fmt::format("T_split_{}", i),
              [&](const Indices& at) { return load(x, with_index(at, axis, at[axis] + begins[i])); });
  return std::move(k).finish();
}

Type infer_meshgrid(const InferInput& in) {
  std::vector<const TensorType*> tensors = some_tensors(in);                    // C1
  DType dtype = joint_dtype(in, tensors);                                       // C2
  if (!in.attr("indexing").is_none()) word_attr(in, "indexing", {"ij", "xy"});  // C3
  Ref<VDevice> device = shared_vdevice(in, tensors);
  std::vector<Scalar> dims;
  for (const TensorType* t : tensors) {
    if (t->rank != kUnknownRank && t->rank != 1)  // C4
      in.error("E0307", fmt::format("all tensors must have rank 1, got {}", t->rank));
    if (written(*t)) dims.push_back(written(*t)->front());
  }
  bool swapped = in.attr("indexing").find<std::string>() && *in.attr("indexing").find<std::string>() == "xy";
  int rank = static_cast<int>(tensors.size());
  if (swapped && dims.size() >= 2) std::swap(dims[0], dims[1]);
  Type field = dims.size() == tensors.size() ? TensorType::make(std::move(dims), dtype, device)
                                             : TensorType::make_unknown(dtype, rank, device);
  return TupleType::make(std::vector<Type>(tensors.size(), field));
}

Ref<BaseFunc> lower_meshgrid(const Call& call) {
  InferInput in = input_of(call);
  KernelBuilder k("meshgrid");
  std::vector<Ref<Buffer>> parts = inputs_of(k, call.args[0]), outs;
  const std::vector<Type>& fields = find<TupleType>(call.type)->fields;
  bool swapped = in.attr("indexing").find<std::string>() && *in.attr("indexing").find<std::string>() == "xy";
  for (size_t i = 0; i < fields.size(); ++i) outs.push_back(k.output(fmt::format("T_grid_{}", i), fields[i]));
  for (size_t i = 0; i < outs.size(); ++i) {
    size_t axis = swapped && i < 2 && outs.size() > 1 ? 1 - i : i;
    k.compute(outs[i], fmt::format("T_grid_{}", i), [&](const Indices& at) { return load(parts[i], {at[axis]}); });
  }
  return std::move(k).finish();
}

using Kind = TensorWish::Kind;

OpSample sample_meshgrid(Sampler& s) {
  const DType dtype = s.dtype(Kind::Number);
  std::vector<Expr> axes;
  for (int64_t i = s.between(2, 3); i > 0; --i)
    axes.push_back(s.tensor({.min_rank = 1, .max_rank = 1, .dtype = dtype, .size = Sizes::Whole}));
  return {{Tuple::make(std::move(axes))}, {{"indexing", s.chance(50) ? "ij" : "xy"}}};
}

OpSample sample_concat(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number, .min_rank = 1});
  const int64_t axis = s.axis(sampled_rank(x));
  std::vector<Expr> all{x};
  for (size_t i = 0, more = s.below(3); i < more; ++i)
    all.push_back(s.beside(x, dims_with(x, axis, int_imm(s.between(1, 3)))));
  return {{Tuple::make(std::move(all))}, {{"axis", axis}}};
}

OpSample sample_stack(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number, .max_rank = 3});
  std::vector<Expr> all{x};
  for (size_t i = 0, more = s.below(3); i < more; ++i) all.push_back(s.like(x));
  return {{Tuple::make(std::move(all))}, {{"axis", s.axis(sampled_rank(x) + 1)}}};
}

OpSample sample_split(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number, .min_rank = 1, .size = Sizes::Whole});
  const int64_t axis = s.axis(sampled_rank(x)), size = s.size_along(axis, x);
  std::vector<int64_t> borders{s.between(0, size), s.between(0, size)};
  std::ranges::sort(borders);
  if (s.chance(50)) return {{x}, {{"axis", axis}, {"indices_or_sections", AttrValue::ints(borders)}}};
  int64_t sections = s.between(1, size);
  while (size % sections != 0) --sections;
  return {{x}, {{"axis", axis}, {"indices_or_sections", sections}}};
}

}  // namespace

void register_join_ops(OpTable& ops) {
  ops.add(
      {.name = "concat",
       .summary = "The tensors one after the other along an axis.",
       .params = {{"tensors", "tuple of tensors (C1, C2, C3)", ParamKind::Tuple},
                  int_param("axis", "the axis; None for tensors of rank 1 (C4, C5)", 0)},
       .constraints = {"C1: one tensor at least", "C2: one dtype", "C3: one rank", "C4: without an axis the rank is 1",
                       "C5: axis is in [-rank, rank - 1]", "C6: all other dimensions agree"},
       .infer = infer_concat,
       .lower = lower_concat,
       .decompose = joined_in_groups,
       .fuse = Fuse::Injective,
       .precision = Precision::Follow,
       .layout = layout_concat,
       .sample = sample_concat});
  ops.add({.name = "stack",
           .summary = "The tensors side by side along a new axis.",
           .params = {{"tensors", "tuple of tensors (C1, C2, C3, C5)", ParamKind::Tuple},
                      int_param("axis", "where the new axis stands in the result (C4)", 0)},
           .constraints = {"C1: one tensor at least", "C2: one dtype", "C3: one rank",
                           "C4: axis is in [-rank - 1, rank]", "C5: all dimensions agree"},
           .infer = infer_stack,
           .lower = lower_stack,
           .decompose = joined_in_groups,
           .fuse = Fuse::Injective,
           .precision = Precision::Follow,
           .layout = layout_stack,
           .sample = sample_stack});
  ops.add(
      {.name = "split",
       .summary = "x cut along an axis: a tuple of its parts, or x itself where there is one.",
       .params = {{"x", "tensor"},
                  attr_param(AttrKind::Any, "indices_or_sections",
                             "where to cut, or into how many parts; the last one may be smaller (C1, C2, C4, C5)", {}),
                  int_param("axis", "the axis (C3)", 0)},
       .constraints = {"C1: an integer or a list of them", "C2: one part at least", "C3: axis is in [-rank, rank - 1]",
                       "C4: at most 65536 parts", "C5: of n equal parts, n - 1 fit into the axis"},
       .infer = infer_split,
       .lower = lower_split,
       .fuse = Fuse::Injective,
       .precision = Precision::Follow,
       .layout = layout_split,
       .sample = sample_split});
  ops.add({.name = "meshgrid",
           .summary = "Each vector spread over the grid of all: a tuple of as many tensors.",
           .params = {{"tensors", "tuple of tensors of rank 1 (C1, C2, C4)", ParamKind::Tuple},
                      string_param("indexing", "\"ij\", or \"xy\": the first two axes swapped (C3)", "ij")},
           .constraints = {"C1: one tensor at least", "C2: one dtype", "C3: indexing is \"ij\" or \"xy\"",
                           "C4: all ranks are 1"},
           .infer = infer_meshgrid,
           .lower = lower_meshgrid,
           .fuse = Fuse::Injective,
           .sample = sample_meshgrid});
}

}  // namespace sunmao
