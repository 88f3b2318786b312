// Ops that repeat elements, reverse their order, or encode indices as one-hot vectors.
#include <fmt/format.h>

#include "ops/layout_rule.h"
#include "ops/lowering.h"
#include "ops/ops.h"
#include "ops/samples/sampler.h"
#include "sym/index_map.h"

namespace sunmao {
namespace {

Type infer_repeat(const InferInput& in) {
  const TensorType& x = in.tensor(0);
  int64_t repeats = in.int_attr("repeats");
  if (repeats < 0) in.error("E0203", fmt::format("`repeats` cannot be {}", repeats));  // C1
  bool flat = in.attr("axis").is_none();
  if (flat) {
    if (repeats == 1 && x.rank == 1) return in.type(0);
    if (!written(x)) return TensorType::make_unknown(x.dtype, 1, x.vdevice);
    return TensorType::make({in.analyzer().simplify(product(*written(x)) * int_imm(repeats))}, x.dtype, x.vdevice);
  }
  if (x.rank == kUnknownRank)
    return repeats == 1 ? in.type(0) : TensorType::make_unknown(x.dtype, kUnknownRank, x.vdevice);
  size_t axis = static_cast<size_t>(in.normalize_axis(in.int_attr("axis"), x.rank));  // C2
  if (repeats == 1) return in.type(0);
  if (!written(x)) return TensorType::make_unknown(x.dtype, x.rank, x.vdevice);
  Scalar size = in.analyzer().simplify((*written(x))[axis] * int_imm(repeats));
  return TensorType::make(with_index(*written(x), axis, size), x.dtype, x.vdevice);
}

// Loads the element at row-major offset `flat`.
Scalar load_flat(const Ref<Buffer>& x, Scalar flat) {
  Indices from(x->shape.size());
  for (size_t i = from.size(); i-- > 0;) {
    from[i] = i == 0 ? flat : floor_mod(flat, x->shape[i]);
    flat = floor_div(flat, x->shape[i]);
  }
  return load(x, from);
}

Ref<BaseFunc> lower_repeat(const Call& call) {
  InferInput in = input_of(call);
  KernelBuilder k("repeat");
  Ref<Buffer> x = k.input("A", call.args[0]->type), y = k.output("T_repeat", call.type);
  Scalar repeats = int_imm(in.int_attr("repeats"));
  bool flat = in.attr("axis").is_none();
  size_t axis = flat ? 0 : static_cast<size_t>(in.normalize_axis(in.int_attr("axis"), x->rank()));
  k.compute(y, "T_repeat", [&](const Indices& at) {
    Scalar source = floor_div(at[axis], repeats);
    return flat ? load_flat(x, source) : load(x, with_index(at, axis, source));
  });
  return std::move(k).finish();
}

Type infer_tile(const InferInput& in) {
  const TensorType& x = in.tensor(0);
  std::optional<std::vector<int64_t>> given = in.ints_attr("repeats");
  if (!given) in.error("E0203", "attribute `repeats` must be a list of integers, got None");  // C1
  const std::vector<int64_t>& repeats = *given;
  bool all_one = true;
  for (int64_t r : repeats) {
    if (r < 0) in.error("E0203", fmt::format("`repeats` cannot hold {}", r));  // C2
    all_one = all_one && r == 1;
  }
  int count = static_cast<int>(repeats.size());
  if (x.rank == kUnknownRank)
    return all_one && count <= 1 ? in.type(0) : TensorType::make_unknown(x.dtype, kUnknownRank, x.vdevice);
  if (all_one && count <= x.rank) return in.type(0);
  int rank = std::max(x.rank, count);
  if (!written(x)) return TensorType::make_unknown(x.dtype, rank, x.vdevice);
  std::vector<Scalar> dims;
  for (int i = 0; i < rank; ++i) {
    int own = i - (rank - x.rank), times = i - (rank - count);
    Scalar size = own < 0 ? int_imm(1) : (*written(x))[static_cast<size_t>(own)];
    if (times >= 0) size = in.analyzer().simplify(size * int_imm(repeats[static_cast<size_t>(times)]));
    dims.push_back(std::move(size));
  }
  return TensorType::make(std::move(dims), x.dtype, x.vdevice);
}

Ref<BaseFunc> lower_tile(const Call& call) {
  KernelBuilder k("tile");
  Ref<Buffer> x = k.input("A", call.args[0]->type), y = k.output("T_tile", call.type);
  size_t lead = y->shape.size() - x->shape.size();
  k.compute(y, "T_tile", [&](const Indices& at) {
    Indices from;
    for (size_t i = 0; i < x->shape.size(); ++i) from.push_back(floor_mod(at[lead + i], x->shape[i]));
    return load(x, from);
  });
  return std::move(k).finish();
}

Type infer_flip(const InferInput& in) {
  const TensorType& x = in.tensor(0);
  if (x.rank != kUnknownRank) in.normalize_axis(in.int_attr("axis"), x.rank);  // C1
  return in.type(0);
}

Ref<BaseFunc> lower_flip(const Call& call) {
  InferInput in = input_of(call);
  KernelBuilder k("flip");
  Ref<Buffer> x = k.input("A", call.args[0]->type), y = k.output("T_reverse", call.type);
  size_t axis = static_cast<size_t>(in.normalize_axis(in.int_attr("axis"), x->rank()));
  k.compute(y, "T_reverse",
            [&](const Indices& at) { return load(x, with_index(at, axis, x->shape[axis] - int_imm(1) - at[axis])); });
  return std::move(k).finish();
}

Type infer_reverse_sequence(const InferInput& in) {
  const TensorType &x = in.tensor(0), &lengths = in.tensor(1);
  need_rank(in, 1, 1);  // C1
  DType t = lengths.dtype;
  need_dtype(in, t.is_void() || t == DType::int_(32) || t == DType::int_(64), "seq_lengths", "int32 or int64",
             t);  // C2
  shared_vdevice(in, {&x, &lengths});
  if (x.rank == kUnknownRank) return in.type(0);
  in.normalize_axis(in.int_attr("seq_axis"), x.rank);  // C3
  size_t batch = static_cast<size_t>(in.normalize_axis(in.int_attr("batch_axis"), x.rank));
  if (x.dims() && lengths.dims() && !in.can_agree((*x.dims())[batch], lengths.dims()->front()))  // C4
    in.error("E0309", fmt::format("`seq_lengths` holds {} lengths for a batch of {}", describe(lengths.dims()->front()),
                                  describe((*x.dims())[batch])));
  return in.type(0);
}

Ref<BaseFunc> lower_reverse_sequence(const Call& call) {
  InferInput in = input_of(call);
  KernelBuilder k("reverse_sequence");
  Ref<Buffer> x = k.input("A", call.args[0]->type), lengths = k.input("B", call.args[1]->type),
              y = k.output("T_reverse_sequence", call.type);
  size_t seq = static_cast<size_t>(in.normalize_axis(in.int_attr("seq_axis"), x->rank()));
  size_t batch = static_cast<size_t>(in.normalize_axis(in.int_attr("batch_axis"), x->rank()));
  k.compute(y, "T_reverse_sequence", [&](const Indices& at) {
    Scalar length = min(as_index(load(lengths, {at[batch]})), x->shape[seq]);
    Scalar source = Select::make(less(at[seq], length), length - int_imm(1) - at[seq], at[seq]);
    return load(x, with_index(at, seq, source));
  });
  return std::move(k).finish();
}

Type infer_one_hot(const InferInput& in) {
  const TensorType& indices = in.tensor(0);
  need_integers(in, "indices", indices.dtype);  // C1
  DType values[2];
  for (size_t i = 0; i < 2; ++i) {
    need_scalar(in, i + 1);  // C2
    values[i] = find<PrimType>(in.type(i + 1))->dtype;
  }
  if (values[0] != values[1])  // C3
    in.error("E0304", fmt::format("the values differ in dtype: {} and {}", values[0].str(), values[1].str()));
  int64_t depth = in.int_attr("depth");
  if (depth <= 0) in.error("E0203", fmt::format("`depth` cannot be {}", depth));  // C4
  if (indices.rank == kUnknownRank) return TensorType::make_unknown(values[0], kUnknownRank, indices.vdevice);
  size_t axis = static_cast<size_t>(in.normalize_axis(in.int_attr("axis"), indices.rank + 1));  // C5
  if (!written(indices)) return TensorType::make_unknown(values[0], indices.rank + 1, indices.vdevice);
  return TensorType::make(insert_index(*written(indices), axis, int_imm(depth)), values[0], indices.vdevice);
}

Ref<BaseFunc> lower_one_hot(const Call& call) {
  InferInput in = input_of(call);
  KernelBuilder k("one_hot");
  Ref<Buffer> x = k.input("A", call.args[0]->type), y = k.output("T_one_hot", call.type);
  size_t axis = static_cast<size_t>(in.normalize_axis(in.int_attr("axis"), y->rank()));
  Scalar on = scalar_value(call.args[1]), off = scalar_value(call.args[2]);
  const bool is_checked = in.bool_attr("checked");
  k.compute(y, "T_one_hot", [&](const Indices& at) {
    Scalar hot = as_index(load(x, without_index(at, axis)));
    if (is_checked) hot = checked(call, hot, y->shape[axis]);
    return Select::make(equals(hot, at[axis]), on, off);
  });
  return std::move(k).finish();
}

using Kind = TensorWish::Kind;

OpSample sample_reverse(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number, .min_rank = 2, .size = Sizes::Some});
  const int64_t sequence = s.axis(sampled_rank(x));
  int64_t batch = s.axis(sampled_rank(x));
  while (place_of(batch, x) == place_of(sequence, x)) batch = s.axis(sampled_rank(x));
  const DType dtype = s.chance(50) ? DType::int_(32) : DType::int_(64);
  return {{x, s.places({dim_along(batch, x)}, s.size_along(sequence, x) + 1, 0, dtype)},
          {{"seq_axis", sequence}, {"batch_axis", batch}}};
}

// Draws a one_hot call whose indices, unless they are checked, may be out of [0, depth); the rows of such indices hold
// `off_value` alone.
OpSample sample_one_hot(Sampler& s) {
  const int64_t depth = s.between(1, 4);
  const bool is_checked = s.chance(30);
  Expr places = s.places(s.dims(0, 2), is_checked ? depth : depth + 1, is_checked ? 0 : -1);
  const bool is_float = s.chance(50);
  return {{places, is_float ? float_argument(1.5) : int_argument(3), is_float ? float_argument(-0.5) : int_argument(0)},
          {{"depth", depth}, {"axis", s.axis(sampled_rank(places) + 1)}, {"checked", is_checked}}};
}

OpSample sample_flip(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number, .min_rank = 1});
  return {{x}, {{"axis", s.axis(sampled_rank(x))}}};
}

OpSample sample_tile(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number, .max_rank = 3});
  std::vector<int64_t> repeats(static_cast<size_t>(s.between(1, 3)));
  for (int64_t& r : repeats) r = s.between(1, 3);
  return {{x}, {{"repeats", AttrValue::ints(repeats)}}};
}

OpSample sample_repeat(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number, .min_rank = 1, .max_rank = 3});
  return {{x}, {{"repeats", s.between(1, 3)}, {"axis", s.axis(sampled_rank(x))}}};
}

}  // namespace

void register_repeat_ops(OpTable& ops) {
  ops.add({.name = "repeat",
           .summary = "Each element several times in a row along an axis.",
           .params = {{"data", "tensor"},
                      int_param("repeats", "how often (C1)"),
                      int_param("axis", "the axis; None: over all elements in their order (C2)", AttrValue())},
           .constraints = {"C1: repeats is at least 0", "C2: axis is in [-rank, rank - 1]"},
           .infer = infer_repeat,
           .lower = lower_repeat,
           .fuse = Fuse::Injective,
           .precision = Precision::Follow,
           .layout = layout_along_axis,
           .sample = sample_repeat});
  ops.add({.name = "tile",
           .summary = "data laid out several times along each of its last axes.",
           .params = {{"data", "tensor"}, ints_param("repeats", "how often along each axis (C1, C2)")},
           .constraints = {"C1: repeats is a list of integers", "C2: each is at least 0"},
           .infer = infer_tile,
           .lower = lower_tile,
           .fuse = Fuse::Injective,
           .precision = Precision::Follow,
           .layout = layout_tile,
           .sample = sample_tile});
  ops.add({.name = "flip",
           .summary = "data turned round along an axis.",
           .params = {{"data", "tensor"}, int_param("axis", "the axis (C1)")},
           .constraints = {"C1: axis is in [-rank, rank - 1]"},
           .infer = infer_flip,
           .lower = lower_flip,
           .fuse = Fuse::Injective,
           .precision = Precision::Follow,
           .layout = layout_along_axis,
           .sample = sample_flip});
  ops.add({.name = "reverse_sequence",
           .summary = "The first elements of each sequence turned round, as many as its length says.",
           .params = {{"data", "tensor"},
                      {"seq_lengths", "one length for each of the batch (C1, C2, C4)"},
                      int_param("seq_axis", "the axis of the sequence (C3)", 1),
                      int_param("batch_axis", "the axis of the batch (C3)", 0)},
           .constraints = {"C1: seq_lengths has rank 1", "C2: its dtype is int32 or int64",
                           "C3: both axes are in [-rank, rank - 1]", "C4: one length for each of the batch"},
           .infer = infer_reverse_sequence,
           .lower = lower_reverse_sequence,
           .fuse = Fuse::Injective,
           .sample = sample_reverse});
  ops.add({.name = "one_hot",
           .summary = "For each index a row that holds `on_value` there and `off_value` elsewhere.",
           .params = {{"indices", "integer tensor (C1)"},
                      scalar_param("on_value", "scalar (C2, C3)"),
                      scalar_param("off_value", "scalar (C2, C3)"),
                      int_param("depth", "the length of the rows (C4)"),
                      int_param("axis", "where the rows lie in the result (C5)", -1),
                      bool_param("checked", "whether an index out of [0, depth) is an error", false)},
           .constraints = {"C1: the indices are integers", "C2: both values are scalars", "C3: of one dtype",
                           "C4: depth is at least 1", "C5: axis is in [-rank - 1, rank]"},
           .infer = infer_one_hot,
           .lower = lower_one_hot,
           .fuse = Fuse::Injective,
           .sample = sample_one_hot});
}

}  // namespace sunmao
