// Ops that write elements at indices held in tensors.
#include <fmt/format.h>

#include <algorithm>

#include "ops/broadcast.h"
#include "ops/layout_rule.h"
#include "ops/lowering.h"
#include "ops/ops.h"
#include "ops/samples/shared_samples.h"
#include "ops/scatter_steps.h"

namespace sunmao {
namespace {

void need_same_dtype(const InferInput& in, DType a, DType b) {
  if (!a.is_void() && !b.is_void() && a != b)
    in.error("E0304", fmt::format("data and updates differ in dtype: {} and {}", a.str(), b.str()));
}

// Returns the argument's name in backquotes.
std::string quoted(const InferInput& in, size_t i) { return fmt::format("`{}`", in.op.inputs()[i]->name); }

void need_same_rank(const InferInput& in, size_t i, size_t j) {
  int a = in.tensor(i).rank, b = in.tensor(j).rank;
  if (a != kUnknownRank && b != kUnknownRank && a != b)
    in.error("E0307", fmt::format("{} has rank {}, {} has rank {}", quoted(in, i), a, quoted(in, j), b));
}

void check_reduction(const InferInput& in) {
  word_attr(in, "reduction", {"update", "updates", "add", "mul", "mean", "min", "max"});
}

Type infer_scatter_elements(const InferInput& in) {
  const TensorType &data = in.tensor(0), &indices = in.tensor(1), &updates = in.tensor(2);
  need_integers(in, "indices", indices.dtype);     // C1
  need_same_dtype(in, data.dtype, updates.dtype);  // C2
  check_reduction(in);                             // C6
  shared_vdevice(in, {&data, &indices, &updates});
  need_same_rank(in, 0, 1);  // C3
  need_same_rank(in, 0, 2);
  need_same_rank(in, 1, 2);
  if (data.rank != kUnknownRank) in.normalize_axis(in.int_attr("axis"), data.rank);  // C4
  if (indices.dims() && updates.dims())
    for (size_t i = 0; i < indices.dims()->size(); ++i)
      if (!in.can_agree((*indices.dims())[i], (*updates.dims())[i]))  // C5
        in.error("E0309", fmt::format("dimension {} differs: {} against {}", i, describe((*indices.dims())[i]),
                                      describe((*updates.dims())[i])));
  return in.type(0);
}

Type infer_scatter_nd(const InferInput& in) {
  const TensorType &data = in.tensor(0), &indices = in.tensor(1), &updates = in.tensor(2);
  need_integers(in, "indices", indices.dtype);     // C1
  need_same_dtype(in, data.dtype, updates.dtype);  // C2
  check_reduction(in);                             // C7
  shared_vdevice(in, {&data, &indices, &updates});
  if (indices.rank == 0) in.error("E0307", "`indices` must have rank 1 or more, got 0");  // C6
  const int64_t* length = indices.dims() && indices.rank > 0 ? find_int(indices.dims()->back()) : nullptr;
  if (data.rank == kUnknownRank || !length) return in.type(0);
  if (*length > data.rank)  // C3
    in.error("E0309", fmt::format("{} indices into a tensor of rank {}", *length, data.rank));
  int rank = indices.rank - 1 + data.rank - static_cast<int>(*length);
  if (updates.rank != kUnknownRank && updates.rank != rank)  // C4
    in.error("E0307", fmt::format("`updates` must have rank {}, got {}", rank, updates.rank));
  if (!data.dims() || !updates.dims()) return in.type(0);
  std::vector<Scalar> wanted(indices.dims()->begin(), indices.dims()->end() - 1);
  wanted.insert(wanted.end(), data.dims()->begin() + *length, data.dims()->end());
  for (size_t i = 0; i < wanted.size(); ++i)
    if (!in.can_agree(wanted[i], (*updates.dims())[i]))  // C5
      in.error("E0309", fmt::format("dimension {} of `updates` is {}, not {}", i, describe((*updates.dims())[i]),
                                    describe(wanted[i])));
  return in.type(0);
}

Ref<BaseFunc> lower_scatter_elements(const Call& call) {
  InferInput in = input_of(call);
  KernelBuilder k("scatter_elements");
  Ref<Buffer> data = k.input("A", call.args[0]->type), indices = k.input("B", call.args[1]->type),
              updates = k.input("C", call.args[2]->type), y = k.output("T", call.type);
  size_t axis = static_cast<size_t>(in.normalize_axis(in.int_attr("axis"), data->rank()));
  std::vector<Scalar> lines;
  for (size_t i = 0; i < data->shape.size(); ++i) {
    if (i == axis) continue;
    const bool is_whole = in.analyzer().can_prove_equal(indices->shape[i], data->shape[i]);
    lines.push_back(is_whole ? data->shape[i] : min(indices->shape[i], data->shape[i]));
  }
  const auto place = [&](const Indices& at, const Scalar& along) { return insert_index(at, axis, along); };
  return scattered(
      k, {.call = call,
          .data = data,
          .y = y,
          .reads = {indices, updates},
          .reduction = in.string_attr("reduction"),
          .lines = lines,
          .updates = {indices->shape[axis]},
          .targets = [&](const Indices& at,
                         const Indices& r) { return std::vector{std::pair(axis, load(indices, place(at, r[0])))}; },
          .targets_know_line = true,
          .from_end = in.bool_attr("from_end"),
          .element = [&](const Indices& at, const Indices& t) { return place(at, t[0]); },
          .value = [&](const Indices& at, const Indices& r) { return load(updates, place(at, r[0])); }});
}

Indices joined(Indices first, const Indices& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

Ref<BaseFunc> lower_scatter_nd(const Call& call) {
  InferInput in = input_of(call);
  KernelBuilder k("scatter_nd");
  Ref<Buffer> data = k.input("A", call.args[0]->type), indices = k.input("B", call.args[1]->type),
              updates = k.input("C", call.args[2]->type), y = k.output("T", call.type);
  const int64_t* length = find_int(indices->shape.back());
  if (!length) in.error("E0309", "the length of index vectors must be known to compute with them");
  const auto targets = [&](const Indices&, const Indices& r) {
    std::vector<std::pair<size_t, Scalar>> out;
    for (int64_t j = 0; j < *length; ++j) out.emplace_back(j, load(indices, joined(r, {int_imm(j)})));
    return out;
  };
  return scattered(k, {.call = call,
                       .data = data,
                       .y = y,
                       .reads = {indices, updates},
                       .reduction = in.string_attr("reduction"),
                       .lines = {data->shape.begin() + *length, data->shape.end()},
                       .updates = {indices->shape.begin(), indices->shape.end() - 1},
                       .targets = targets,
                       .element = [&](const Indices& at, const Indices& t) { return joined(t, at); },
                       .value = [&](const Indices& at, const Indices& r) { return load(updates, joined(r, at)); }});
}

Type infer_index_put(const InferInput& in) {
  const TensorType &data = in.tensor(0), &values = in.tensor(2);
  std::vector<const TensorType*> indices = in.tensors(1);
  if (indices.empty()) in.error("E0202", "needs one index tensor at least, got none");  // C1
  for (const TensorType* t : indices) need_integers(in, "indices", t->dtype);           // C2
  need_same_dtype(in, data.dtype, values.dtype);                                        // C3
  if (data.rank != kUnknownRank && static_cast<int>(indices.size()) > data.rank)        // C4
    in.error("E0309", fmt::format("{} index tensors for a tensor of rank {}", indices.size(), data.rank));
  std::optional<std::vector<Scalar>> place = std::vector<Scalar>{};
  for (const TensorType* t : indices)
    place = place && t->dims() ? broadcast_shape(in, *place, *t->dims()) : std::nullopt;  // C5
  if (!place || !data.dims() || !values.dims()) return in.type(0);
  place->insert(place->end(), data.dims()->begin() + static_cast<std::ptrdiff_t>(indices.size()), data.dims()->end());
  if (values.dims()->size() > place->size())  // C6
    in.error("E0307", fmt::format("`values` must have rank {} at most, got {}", place->size(), values.rank));
  size_t lead = place->size() - values.dims()->size();
  for (size_t i = lead; i < place->size(); ++i) {
    const Scalar &own = (*values.dims())[i - lead], &wanted = (*place)[i];
    if (!is_one(own) && !in.can_agree(own, wanted))
      in.error("E0303",
               fmt::format("dimension {} of `values` is {}, not {}", i - lead, describe(own), describe(wanted)),
               "sizes must be equal, or that of the values 1");
  }
  return in.type(0);
}

Ref<BaseFunc> lower_index_put(const Call& call) {
  InferInput in = input_of(call);
  KernelBuilder k("index_put");
  Ref<Buffer> data = k.input("data", call.args[0]->type);
  std::vector<Ref<Buffer>> indices = inputs_of(k, call.args[1]);
  Ref<Buffer> values = k.input("values", call.args[2]->type), y = k.output("T", call.type);
  const Ref<Buffer>& widest = *std::ranges::max_element(indices, {}, [](const Ref<Buffer>& b) { return b->rank(); });
  std::vector<Scalar> updates = widest->shape;
  for (const Ref<Buffer>& b : indices)
    for (size_t i = 0; i < b->shape.size(); ++i) {
      Scalar& extent = updates[updates.size() - b->shape.size() + i];
      if (find_int(extent) && *find_int(extent) == 1) extent = b->shape[i];
    }
  const auto targets = [&](const Indices&, const Indices& r) {
    std::vector<std::pair<size_t, Scalar>> out;
    for (size_t j = 0; j < indices.size(); ++j)
      out.emplace_back(j, load(indices[j], broadcast_indices(indices[j]->shape, r)));
    return out;
  };
  std::vector<Ref<Buffer>> reads = indices;
  reads.push_back(values);
  return scattered(
      k, {.call = call,
          .data = data,
          .y = y,
          .reads = std::move(reads),
          .reduction = in.bool_attr("accumulate") ? "add" : "update",
          .lines = {data->shape.begin() + std::ssize(indices), data->shape.end()},
          .updates = std::move(updates),
          .targets = targets,
          .element = [&](const Indices& at, const Indices& t) { return joined(t, at); },
          .value = [&](const Indices& at,
                       const Indices& r) { return load(values, broadcast_indices(values->shape, joined(r, at))); }});
}

// The part of an axis that a slice covers: indices from `first` up to but excluding `last`.
struct SliceEnds {
  Scalar first, last;
  Scalar length(const Scalar& step) const { return floor_div(max(last - first, int_imm(0)) + step - int_imm(1), step); }
};
SliceEnds slice_of(const Scalar& start, const Scalar& end, const Scalar& size) {
  auto inside = [&](const Scalar& s) { return max(min(from_end(as_index(s), size), size), int_imm(0)); };
  return {inside(start), inside(end)};
}

Type infer_slice_scatter(const InferInput& in) {
  const TensorType &data = in.tensor(0), &src = in.tensor(1);
  need_same_dtype(in, data.dtype, src.dtype);         // C1
  for (size_t i = 2; i < 5; ++i) need_scalar(in, i);  // C2
  need_same_rank(in, 0, 1);                           // C3
  Scalar step = scalar_value(in.args[4]);
  if (step && find_int(step) && *find_int(step) < 1)  // C4
    in.error("E0203", fmt::format("`step` cannot be {}", *find_int(step)));
  if (data.rank == kUnknownRank) return in.type(0);
  size_t axis = static_cast<size_t>(in.normalize_axis(in.int_attr("axis"), data.rank));  // C5
  if (data.dims() && src.dims())
    for (size_t i = 0; i < data.dims()->size(); ++i)
      if (i != axis && !in.can_agree((*data.dims())[i], (*src.dims())[i]))  // C6
        in.error("E0309", fmt::format("dimension {} differs: {} against {}", i, describe((*data.dims())[i]),
                                      describe((*src.dims())[i])));
  if (const Scalar start = scalar_value(in.args[2]), end = scalar_value(in.args[3]);
      data.dims() && src.dims() && start && end && step) {
    const Scalar taken = slice_of(start, end, (*data.dims())[axis]).length(as_index(step));
    if (!in.can_reach((*src.dims())[axis], in.analyzer().simplify(taken)))  // C7
      in.error("E0309", fmt::format("`src` has {} elements along the axis, the slice {}", describe((*src.dims())[axis]),
                                    describe(in.analyzer().simplify(taken))));
  }
  return in.type(0);
}

Ref<BaseFunc> lower_slice_scatter(const Call& call) {
  InferInput in = input_of(call);
  KernelBuilder k("slice_scatter");
  Ref<Buffer> data = k.input("A", call.args[0]->type), src = k.input("B", call.args[1]->type),
              y = k.output("T_slice_scatter", call.type);
  size_t axis = static_cast<size_t>(in.normalize_axis(in.int_attr("axis"), data->rank()));
  const Scalar step = as_index(scalar_value(call.args[4]));
  const auto [first, last] = slice_of(scalar_value(call.args[2]), scalar_value(call.args[3]), data->shape[axis]);
  k.compute(y, "T_slice_scatter", [&](const Indices& at) {
    Scalar along = at[axis] - first;
    Scalar taken =
        both(both(at_least(along, int_imm(0)), less(at[axis], last)), equals(floor_mod(along, step), int_imm(0)));
    return choose(taken, load(src, with_index(at, axis, floor_div(along, step))), load(data, at));
  });
  return std::move(k).finish();
}

OpParam reduction_param(const char* label) {
  return string_param(
      "reduction",
      fmt::format("\"update\" (\"updates\"), or what to make of old and new: \"add\", \"mul\", \"mean\", \"min\", "
                  "\"max\" ({})",
                  label),
      "update");
}

using Kind = TensorWish::Kind;

OpSample sample_index_put(Sampler& s) {
  Expr x = sampled_data(s);
  const size_t count = some_axes(s, x);
  std::vector<Expr> indices = index_tensors(s, x, count);
  Dims values = sampled_dims(indices[0]);
  values.insert(values.end(), sampled_dims(x).begin() + static_cast<ptrdiff_t>(count), sampled_dims(x).end());
  if (s.chance(30)) values.erase(values.begin(), values.begin() + static_cast<ptrdiff_t>(s.below(values.size() + 1)));
  for (Scalar& d : values)
    if (s.chance(10)) d = int_imm(1);
  return {{x, Tuple::make(std::move(indices)), s.beside(x, values)}, {{"accumulate", s.chance(50)}}};
}

const std::vector<std::string>& kinds_of_reduction() {
  static const std::vector<std::string> kAll{"update", "add", "mul", "mean", "min", "max"};
  return kAll;
}

// Draws up to 4 updates along the axis, sometimes for a part of the other axes only; indices may repeat.
OpSample sample_scatter(Sampler& s) {
  Expr x = sampled_data(s);
  const int64_t axis = s.axis(sampled_rank(x)), size = s.size_along(axis, x);
  Dims dims = dims_with(x, axis, int_imm(s.between(0, 4)));
  for (size_t i = 0; i < dims.size(); ++i)
    if (i != place_of(axis, x) && s.chance(20)) dims[i] = int_imm(s.between(1, s.size_of(dims[i])));
  const bool from_end = s.chance(70);
  return {{x, s.places(dims, size, from_end ? -size : 0), s.beside(x, dims)},
          {{"axis", axis}, {"reduction", s.one_of(kinds_of_reduction())}, {"from_end", from_end}}};
}

OpSample sample_scatter_nd(Sampler& s) {
  Expr x = sampled_data(s);
  const size_t length = some_axes(s, x);
  int64_t least = s.size_along(0, x);
  for (size_t i = 1; i < length; ++i) least = std::min(least, s.size_along(static_cast<int64_t>(i), x));
  Dims places = s.dims(0, 2), updates = places;
  places.push_back(int_imm(static_cast<int64_t>(length)));
  updates.insert(updates.end(), sampled_dims(x).begin() + static_cast<ptrdiff_t>(length), sampled_dims(x).end());
  return {{x, s.places(places, least, -least), s.beside(x, updates)}, {{"reduction", s.one_of(kinds_of_reduction())}}};
}

// Returns the number of elements that Python's `start:end:step` selects of `size`, for a positive step.
int64_t python_slice_length(int64_t start, int64_t end, int64_t step, int64_t size) {
  auto inside = [&](int64_t i) { return std::clamp<int64_t>(i < 0 ? i + size : i, 0, size); };
  return std::max<int64_t>(0, inside(end) - inside(start) + step - 1) / step;
}

OpSample sample_slice_scatter(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number, .min_rank = 1});
  const int64_t axis = s.axis(sampled_rank(x)), size = s.size_along(axis, x), start = s.between(-size, size),
                end = s.between(-size - 1, size + 1), step = s.between(1, 3);
  return {{x, s.beside(x, dims_with(x, axis, int_imm(python_slice_length(start, end, step, size)))),
           int_argument(start), int_argument(end), int_argument(step)},
          {{"axis", axis}}};
}

}  // namespace

void register_scatter_ops(OpTable& ops) {
  ops.add({.name = "scatter_elements",
           .summary = "data with updates put at indices along one axis.",
           .params = {{"data", "tensor"},
                      {"indices", "integer tensor (C1, C3)"},
                      {"updates", "tensor of the indices' shape (C2, C3, C5)"},
                      int_param("axis", "the axis (C4)", 0),
                      reduction_param("C6"),
                      from_end_param()},
           .constraints = {"C1: the indices are integers", "C2: data and updates have one dtype",
                           "C3: all ranks are the same", "C4: axis is in [-rank, rank - 1]",
                           "C5: updates and indices have one shape", "C6: reduction is a known one"},
           .infer = infer_scatter_elements,
           .lower = lower_scatter_elements,
           .layout = layout_joint_axis,
           .sample = sample_scatter});
  ops.add({.name = "scatter_nd",
           .summary = "data with slices put at the index vectors that the last axis of `indices` holds.",
           .params = {{"data", "tensor"},
                      {"indices", "integer tensor of rank >= 1 (C1, C3, C6)"},
                      {"updates", "tensor (C2, C4, C5)"},
                      reduction_param("C7")},
           .constraints = {"C1: the indices are integers", "C2: data and updates have one dtype",
                           "C3: the index vectors are not longer than data has axes",
                           "C4: updates has the rank of what is indexed", "C5: and its shape",
                           "C6: indices has rank 1 or more", "C7: reduction is a known one"},
           .infer = infer_scatter_nd,
           .lower = lower_scatter_nd,
           .layout = layout_scatter_nd,
           .sample = sample_scatter_nd});
  ops.add({.name = "index_put",
           .summary = "data with values put at (indices[0], indices[1], …).",
           .params = {{"data", "tensor"},
                      {"indices", "tuple of integer tensors (C1, C2, C4, C5)", ParamKind::Tuple},
                      {"values", "tensor that broadcasts to what is indexed (C3, C6)"},
                      bool_param("accumulate", "add to what is there", false)},
           .constraints = {"C1: one index tensor at least", "C2: they are integers",
                           "C3: data and values have one dtype", "C4: not more index tensors than axes",
                           "C5: the index tensors broadcast", "C6: values broadcasts to what is indexed"},
           .infer = infer_index_put,
           .lower = lower_index_put,
           .sample = sample_index_put});
  ops.add({.name = "slice_scatter",
           .summary = "input_tensor with src put at start, start + step, … along an axis.",
           .params = {{"input_tensor", "tensor"},
                      {"src", "tensor (C1, C3, C6, C7)"},
                      scalar_param("start", "scalar (C2)"),
                      scalar_param("end", "scalar (C2)"),
                      scalar_param("step", "scalar (C2, C4)"),
                      int_param("axis", "the axis (C5)", 0)},
           .constraints = {"C1: both have one dtype", "C2: start, end and step are scalars", "C3: both have one rank",
                           "C4: step is at least 1", "C5: axis is in [-rank, rank - 1]",
                           "C6: all other dimensions agree", "C7: src fills the slice"},
           .infer = infer_slice_scatter,
           .lower = lower_slice_scatter,
           .sample = sample_slice_scatter});
}

}  // namespace sunmao
