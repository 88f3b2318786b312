// Strided slices.
#include <fmt/format.h>

#include <algorithm>

#include "ops/layout_rule.h"
#include "ops/lowering.h"
#include "ops/named_sizes.h"
#include "ops/ops.h"
#include "ops/samples/sampler.h"

namespace sunmao {
namespace {

struct SliceBounds {
  size_t axis;
  Scalar begin, end, stride;
};

Scalar below_zero(const Scalar& s) { return less(s, int_imm(0)); }

// Returns a slice bound clamped to the tensor: negative bounds count from the end. The start of a forward slice that is
// not a constant may lie beyond the last element; the length is then 0.
Scalar clamped_bound(const Scalar& s, const Scalar& size, bool backwards, bool is_begin) {
  Scalar low = int_imm(backwards ? -1 : 0), high = backwards ? size - int_imm(1) : size;
  const int64_t* known = find_int(s);
  if (known && *known == 0 && !backwards) return s;
  if (known && *known >= 0) return min(s, high);
  if (known) return max(size + s, low);
  Scalar counted = max(choose(below_zero(s), s + size, s), low);
  return is_begin && !backwards ? counted : min(counted, high);
}

// Returns the slices of a call, clamped to the tensor's bounds unless `assume_inbound` is set; absent when an axis, a
// bound or a stride is not an expression of symbols.
std::optional<std::vector<SliceBounds>> slices_of(const InferInput& in, const TensorType& x) {
  auto axes = scalar_values(in.args[1]), begins = scalar_values(in.args[2]), ends = scalar_values(in.args[3]);
  std::optional<std::vector<Scalar>> strides;
  if (in.has(4)) strides = scalar_values(in.args[4]);
  if (!axes || !begins || !ends || (in.has(4) && !strides)) return std::nullopt;
  bool inbound = in.bool_attr("assume_inbound");
  std::vector<int64_t> numbers;
  for (const Scalar& a : *axes) numbers.push_back(find_int(a) ? *find_int(a) : 0);
  std::vector<int> order = distinct_axes(in, numbers, x.rank);
  std::vector<SliceBounds> out;
  for (size_t i = 0; i < order.size(); ++i) {
    size_t axis = static_cast<size_t>(order[i]);
    Scalar begin = as_index((*begins)[i]), end = as_index((*ends)[i]),
           stride = strides ? as_index((*strides)[i]) : int_imm(1);
    const int64_t* step = find_int(stride);
    if (step && *step == 0) in.error("E0203", "a stride cannot be 0");  // C5
    if (!inbound) {
      begin = clamped_bound(begin, (*x.dims())[axis], step && *step < 0, true);
      end = clamped_bound(end, (*x.dims())[axis], step && *step < 0, false);
    }
    out.push_back({axis, number_or(in, begin), number_or(in, end), stride});
  }
  return out;
}

// True when a <= b is proven, by what minima and maxima say.
bool is_ordered(Analyzer& analyzer, const Scalar& a, const Scalar& b) {
  if (analyzer.can_prove(Binary::make(BinaryOp::Le, a, b))) return true;
  const auto parts = [](const Scalar& s, BinaryOp op) {
    const auto* n = find<Binary>(s);
    return n && n->op == op ? n : nullptr;
  };
  const auto below = [&](const Scalar& x, const Scalar& y) { return is_ordered(analyzer, x, y); };
  if (const auto* n = parts(b, BinaryOp::Min)) return below(a, n->a) && below(a, n->b);
  if (const auto* n = parts(a, BinaryOp::Max)) return below(n->a, b) && below(n->b, b);
  if (const auto* n = parts(a, BinaryOp::Min)) return below(n->a, b) || below(n->b, b);
  if (const auto* n = parts(b, BinaryOp::Max)) return below(a, n->a) || below(a, n->b);
  return false;
}

Scalar slice_length(const InferInput& in, const SliceBounds& s) {
  const int64_t *step = find_int(s.stride), *begin = find_int(s.begin);
  auto from_begin = [&](const Scalar& end) { return begin && *begin == 0 ? end : end - s.begin; };
  Scalar length;
  if (step && *step < 0)
    length = floor_div(s.begin - s.end - int_imm(*step + 1), int_imm(-*step));
  else if (step && *step == 1)
    length = from_begin(s.end);
  else
    length = floor_div(from_begin(step ? s.end + int_imm(*step - 1) : s.end + s.stride - int_imm(1)), s.stride);
  const bool is_backwards = step && *step < 0;
  const bool counts_from_end = find<Binary>(s.begin) && find<Binary>(s.begin)->op == BinaryOp::Max;
  const Scalar &first = is_backwards ? s.end : s.begin, &last = is_backwards ? s.begin : s.end;
  const bool may_be_negative = counts_from_end || !is_ordered(in.analyzer(), first, last);
  if (may_be_negative && !in.bool_attr("assume_inbound")) length = max(length, int_imm(0));
  length = number_or(in, length);
  const int64_t* known = find_int(length);
  return known && *known < 0 ? int_imm(0) : length;
}

void check_tuples(const InferInput& in) {
  size_t count = 0;
  for (size_t i = 1; i < in.args.size(); ++i) {
    if (!in.has(i) && i == 4) continue;
    const TupleType& tuple = in.tuple(i);  // C1
    for (const Type& t : tuple.fields) {
      const auto* prim = find<PrimType>(t);
      if (!prim || !prim->dtype.is_integral())  // C2
        in.error("E0201", fmt::format("`{}` must hold integers, got {}", in.op.inputs()[i]->name, describe(t)));
    }
    if (i > 1 && tuple.fields.size() != count)  // C3
      in.error("E0202",
               fmt::format("`{}` holds {} values for {} axes", in.op.inputs()[i]->name, tuple.fields.size(), count));
    count = tuple.fields.size();
  }
}

Type infer_strided_slice(const InferInput& in) {
  const TensorType& x = in.tensor(0);
  check_tuples(in);
  if (x.rank == kUnknownRank && !in.tuple(1).fields.empty())
    return TensorType::make_unknown(x.dtype, kUnknownRank, x.vdevice);
  if (in.tuple(1).fields.empty()) return x.dims() ? TensorType::make(*x.dims(), x.dtype, x.vdevice) : in.type(0);
  if (auto axes = scalar_values(in.args[1])) {
    std::vector<int64_t> numbers;
    for (const Scalar& a : *axes) numbers.push_back(find_int(a) ? *find_int(a) : 0);
    distinct_axes(in, numbers, x.rank);  // C4
  }
  if (!x.dims()) return TensorType::make_unknown(x.dtype, x.rank, x.vdevice);
  auto slices = slices_of(in, x);
  if (!slices) return TensorType::make_unknown(x.dtype, x.rank, x.vdevice);
  std::vector<Scalar> dims = *x.dims();
  for (const SliceBounds& s : *slices) dims[s.axis] = slice_length(in, s);
  return TensorType::make(std::move(dims), x.dtype, x.vdevice);
}

Ref<BaseFunc> lower_strided_slice(const Call& call) {
  InferInput in = input_of(call);
  KernelBuilder k("strided_slice");
  Ref<Buffer> x = k.input("A", call.args[0]->type), y = k.output("T_strided_slice", call.type);
  std::vector<SliceBounds> slices = slices_of(in, in.tensor(0)).value_or(std::vector<SliceBounds>{});
  k.compute(y, "T_strided_slice", [&](const Indices& at) {
    Indices from = at;
    for (const SliceBounds& s : slices) from[s.axis] = in.analyzer().simplify(s.begin + at[s.axis] * s.stride);
    return load(x, from);
  });
  return std::move(k).finish();
}

// Checks that argument `i` is a vector with a value for each of `rank` axes: C1 to C3 of dynamic slices.
void need_axis_values(const InferInput& in, size_t i, int rank) {
  const TensorType& t = in.tensor(i);
  const std::string& name = in.op.inputs()[i]->name;
  need_dtype(in, t.dtype.is_void() || t.dtype == kInt64, name, "int64", t.dtype);           // C1
  need_rank(in, i, 1);                                                                      // C2
  if (rank != kUnknownRank && t.dims() && !in.can_agree(t.dims()->front(), int_imm(rank)))  // C3
    in.error("E0309", fmt::format("`{}` holds {} values for {} axes", name, describe(t.dims()->front()), rank));
}

Type infer_dynamic_slice(const InferInput& in) {
  const TensorType& x = in.tensor(0);
  for (size_t i = 1; i < 4; ++i) need_axis_values(in, i, x.rank);
  return TensorType::make_unknown(x.dtype, x.rank, x.vdevice);
}

Type infer_dynamic_slice_sizes(const InferInput& in) {
  const ShapeType& shape = in.shape(0);
  for (size_t i = 1; i < 4; ++i) need_axis_values(in, i, shape.rank);
  const Ref<VDevice>& device = in.tensor(1).vdevice;
  return shape.rank == kUnknownRank ? TensorType::make_unknown(kInt64, 1, device)
                                    : TensorType::make({int_imm(shape.rank)}, kInt64, device);
}

Type infer_dynamic_slice_sized(const InferInput& in) {
  const TensorType& x = in.tensor(0);
  for (size_t i = 1; i < 3; ++i) need_axis_values(in, i, x.rank);
  const ShapeType& shape = in.shape(3);
  if (x.rank != kUnknownRank && shape.rank != kUnknownRank && x.rank != shape.rank)  // C4
    in.error("E0307", fmt::format("`shape` has {} sizes for {} axes", shape.rank, x.rank));
  return shaped_by(in, 3, x.dtype, x.vdevice);
}

// Clips a bound of a slice: what is negative counts from the end.
Scalar clipped_bound(const Scalar& bound, const Scalar& size, const Scalar& is_backwards) {
  const Scalar low = choose(is_backwards, int_imm(-1), int_imm(0));
  const Scalar high = choose(is_backwards, size - int_imm(1), size);
  return min(max(choose(below_zero(bound), bound + size, bound), low), max(low, high));
}

// The magnitude of the stride along an axis of `size` elements, at most what moves past all of them; the kernel of
// `call` fails (E0919) when it is 0.
Scalar step_of(const Scalar& stride, const Scalar& size) {
  const Scalar most = size + int_imm(1), kept = min(max(stride, int_imm(0) - most), most);
  const Scalar step = choose(below_zero(kept), int_imm(0) - kept, kept);
  return checked_index({step - int_imm(1), most, stride, "the stride of dynamic_strided_slice"}) + int_imm(1);
}

Ref<BaseFunc> lower_dynamic_slice_sizes(const Call& call) {
  const auto* shape = find<ShapeType>(call.args[0]->type);
  if (!shape->values) return nullptr;
  KernelBuilder k("dynamic_strided_slice_sizes");
  Ref<Buffer> begin = k.input("begin", call.args[1]->type), end = k.input("end", call.args[2]->type),
              strides = k.input("strides", call.args[3]->type), y = k.output("T_sizes", call.type);
  k.compute(y, "T_sizes", [&](const Indices& at) {
    Scalar size = int_imm(0);
    for (size_t i = shape->values->size(); i-- > 0;)
      size = Select::make(equals(at[0], int_imm(static_cast<int64_t>(i))), (*shape->values)[i], size);
    const Scalar stride = load(strides, at), is_backwards = below_zero(stride);
    const Scalar from = clipped_bound(load(begin, at), size, is_backwards),
                 to = clipped_bound(load(end, at), size, is_backwards);
    const Scalar distance = max(choose(is_backwards, from - to, to - from), int_imm(0)), step = step_of(stride, size);
    return floor_div(distance + step - int_imm(1), step);
  });
  return std::move(k).finish();
}

Ref<BaseFunc> lower_dynamic_slice_sized(const Call& call) {
  KernelBuilder k("dynamic_strided_slice_sized");
  Ref<Buffer> x = k.input("A", call.args[0]->type), begin = k.input("begin", call.args[1]->type),
              strides = k.input("strides", call.args[2]->type), y = k.output("T_slice", call.type);
  k.compute(y, "T_slice", [&](const Indices& at) {
    Indices from;
    for (size_t i = 0; i < at.size(); ++i) {
      const Scalar axis = int_imm(static_cast<int64_t>(i)), &size = x->shape[i];
      const Scalar stride = load(strides, {axis}), is_backwards = below_zero(stride);
      const Scalar first = clipped_bound(load(begin, {axis}), size, is_backwards);
      from.push_back(checked(call, first + at[i] * stride, size));
    }
    return load(x, from);
  });
  return std::move(k).finish();
}

Expr sized_dynamic_slice(const Call& call, BlockBuilder& b) {
  const auto* x = find<TensorType>(call.args[0]->type);
  if (!x->dims() || x->is_unknown_dtype()) return Expr(&call);
  const std::vector<Expr>& args = call.args;
  const Expr sizes = b.emit(Call::make(builtin_ops().get("dynamic_strided_slice_sizes"),
                                       {ShapeExpr::make(*x->dims()), args[1], args[2], args[3]}, {}, {}, call.span));
  const Expr shape = ShapeExpr::make(named_sizes(sizes, x->dims()->size(), b));
  return Call::make(builtin_ops().get("dynamic_strided_slice_sized"), {args[0], args[1], args[3], shape}, {}, {},
                    call.span);
}

using Kind = TensorWish::Kind;

Expr int_tuple(const std::vector<int64_t>& values) {
  std::vector<Expr> out;
  for (int64_t v : values) out.push_back(int_argument(v));
  return Tuple::make(std::move(out));
}

// Draws slices whose bounds may lie outside of the tensor and whose strides may be negative.
OpSample sample_slice(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number, .min_rank = 1, .size = Sizes::Whole});
  std::vector<int64_t> axes = s.axes(sampled_rank(x)), begin, end, strides;
  for (int64_t& axis : axes) {
    const int64_t size = s.size_along(axis, x);
    begin.push_back(s.between(-size - 1, size + 1));
    end.push_back(s.between(-size - 1, size + 1));
    strides.push_back(s.one_of(std::vector<int64_t>{-2, -1, 1, 1, 2}));
    if (s.chance(20)) axis -= sampled_rank(x);
  }
  return {{x, int_tuple(axes), int_tuple(begin), int_tuple(end), int_tuple(strides)}};
}

OpSample sample_dynamic_slice(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number, .min_rank = 1});
  const Dims one = sizes({sampled_rank(x)});
  std::vector<int64_t> strides;
  for (int64_t i = 0; i < sampled_rank(x); ++i) strides.push_back(s.one_of(std::vector<int64_t>{-2, -1, 1, 1, 2}));
  return {
      {x, s.places(one, 7, -6), s.places(one, 7, -6), Constant::make(Array::from_ints({sampled_rank(x)}, strides))}};
}

OpSample sample_dynamic_slice_sizes(Sampler& s) {
  OpSample slice = sample_dynamic_slice(s);
  slice.args[0] = ShapeExpr::make(sampled_dims(slice.args[0]));
  return slice;
}

// Draws slices with positive strides that lie within the tensor.
OpSample sample_dynamic_slice_sized(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number, .min_rank = 1, .size = Sizes::Whole});
  std::vector<int64_t> begin, strides;
  Dims shape;
  for (int64_t i = 0; i < sampled_rank(x); ++i) {
    const int64_t size = s.size_along(i, x);
    begin.push_back(s.between(0, size - 1) - (s.chance(30) ? size : 0));
    strides.push_back(s.between(1, 2));
    const int64_t first = begin.back() < 0 ? begin.back() + size : begin.back();
    shape.push_back(int_imm(s.between(0, (size - first + strides.back() - 1) / strides.back())));
  }
  return {{x, Constant::make(Array::from_ints({sampled_rank(x)}, begin)),
           Constant::make(Array::from_ints({sampled_rank(x)}, strides)), ShapeExpr::make(std::move(shape))}};
}

}  // namespace

void register_index_ops(OpTable& ops) {
  ops.add({.name = "strided_slice",
           .summary = "x from begin to end by stride, along some axes. What is negative counts from the end.",
           .params = {{"x", "tensor"},
                      {"axes", "tuple of integers (C1, C2, C4)", ParamKind::Tuple},
                      {"begin", "tuple of integers (C1, C2, C3)", ParamKind::Tuple},
                      {"end", "tuple of integers, each beyond the last element (C1, C2, C3)", ParamKind::Tuple},
                      optional_param("strides", "tuple of integers; None: all 1 (C3, C5)", ParamKind::Tuple),
                      bool_param("assume_inbound", "begin and end lie in the tensor: nothing is clamped", false)},
           .constraints = {"C1: axes, begin, end and strides are tuples", "C2: of integers", "C3: all of one length",
                           "C4: each axis is in [-rank, rank - 1], and none twice", "C5: no stride is 0"},
           .infer = infer_strided_slice,
           .lower = lower_strided_slice,
           .fuse = Fuse::Injective,
           .precision = Precision::Follow,
           .layout = layout_strided_slice,
           .sample = sample_slice});
  ops.add({.name = "dynamic_strided_slice",
           .summary = "x from begin to end by stride along all axes, which only a run knows.",
           .params = {{"x", "tensor"},
                      {"begin", "int64 vector (C1, C2, C3)"},
                      {"end", "int64 vector (C1, C2, C3)"},
                      {"strides", "int64 vector (C1, C2, C3)"}},
           .constraints = {"C1: the dtype is int64", "C2: the rank is 1", "C3: one value for each axis of x"},
           .infer = infer_dynamic_slice,
           .sized = sized_dynamic_slice,
           .sample = sample_dynamic_slice});
  ops.add({.name = "dynamic_strided_slice_sizes",
           .summary = "The sizes of a dynamic_strided_slice of a tensor of this shape.",
           .params = {{"shape", "shape of the tensor", ParamKind::Shape},
                      {"begin", "int64 vector (C1, C2, C3)"},
                      {"end", "int64 vector (C1, C2, C3)"},
                      {"strides", "int64 vector (C1, C2, C3)"}},
           .constraints = {"C1: the dtype is int64", "C2: the rank is 1", "C3: one value for each size"},
           .infer = infer_dynamic_slice_sizes,
           .lower = lower_dynamic_slice_sizes,
           .sample = sample_dynamic_slice_sizes});
  ops.add({.name = "dynamic_strided_slice_sized",
           .summary = "As many elements of x as `shape` says, from begin on by stride, along all axes.",
           .params = {{"x", "tensor"},
                      {"begin", "int64 vector (C1, C2, C3)"},
                      {"strides", "int64 vector (C1, C2, C3)"},
                      {"shape", "shape of the result (C4)", ParamKind::Shape}},
           .constraints = {"C1: the dtype is int64", "C2: the rank is 1", "C3: one value for each axis of x",
                           "C4: shape has a size for each axis of x"},
           .infer = infer_dynamic_slice_sized,
           .lower = lower_dynamic_slice_sized,
           .sample = sample_dynamic_slice_sized});
}

}  // namespace sunmao
