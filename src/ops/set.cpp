// The ops unique and nonzero, whose result sizes depend on the data, and the ops that their sized forms consist of.
#include <fmt/format.h>

#include "ops/lowering.h"
#include "ops/named_sizes.h"
#include "ops/ops.h"
#include "ops/samples/sampler.h"
#include "ops/set_lowering.h"

namespace sunmao {
namespace {

constexpr const char* kExtras[] = {"return_index", "return_inverse", "return_counts"};

Type infer_unique(const InferInput& in) {
  const TensorType& x = in.tensor(0);
  bool flat = in.attr("axis").is_none();
  if (!flat && x.rank != kUnknownRank) in.normalize_axis(in.int_attr("axis"), x.rank);  // C1
  // Returns the type of a vector of unknown length; of length 1 if `x` is a scalar, which counts as one element.
  auto vector_of = [&](DType dtype) {
    return x.rank == 0 ? TensorType::make({int_imm(1)}, dtype, x.vdevice)
                       : TensorType::make_unknown(dtype, 1, x.vdevice);
  };
  std::vector<Type> fields{flat ? vector_of(x.dtype) : TensorType::make_unknown(x.dtype, x.rank, x.vdevice)};
  for (const char* extra : kExtras)
    if (in.bool_attr(extra)) fields.push_back(vector_of(DType::int_(64)));
  return fields.size() == 1 ? fields[0] : TupleType::make(std::move(fields));
}

Type infer_nonzero(const InferInput& in) { return TensorType::make_unknown(DType::int_(64), 2, in.tensor(0).vdevice); }

Type infer_nonzero_sized(const InferInput& in) {
  const TensorType& x = in.tensor(0);
  const ShapeType& shape = in.shape(1);
  if (shape.rank != kUnknownRank && shape.rank != 1)  // C1
    in.error("E0307", fmt::format("`shape` must have one size, got {}", shape.rank));
  if (x.rank == kUnknownRank || !shape.values) return TensorType::make_unknown(kInt64, 2, x.vdevice);
  return TensorType::make({int_imm(x.rank), shape.values->front()}, kInt64, x.vdevice);
}

Type infer_unique_groups(const InferInput& in) {
  const TensorType& x = in.tensor(0);
  if (x.rank != kUnknownRank && x.rank != 1 && x.rank != 2)  // C1
    in.error("E0307", fmt::format("`x` must have rank 1 or 2, got {}", x.rank));
  const Type rows = x.dims() ? TensorType::make({x.dims()->front()}, kInt64, x.vdevice)
                             : TensorType::make_unknown(kInt64, 1, x.vdevice);
  return TupleType::make({TensorType::make({int_imm(1)}, kInt64, x.vdevice), rows, rows, rows});
}

const TensorType* sizable(const Call& call) {
  const auto* x = find<TensorType>(call.args[0]->type);
  return x && x->dims() && !x->is_unknown_dtype() ? x : nullptr;
}

Expr sized_nonzero(const Call& call, BlockBuilder& b) {
  const TensorType* x = sizable(call);
  if (!x) return Expr(&call);
  const Expr zero = PrimValue::make(constant(x->dtype, 0));
  Expr found = x->dtype.is_bool() ? call.args[0] : call_of("not_equal", {call.args[0], zero}, call);
  found = call_of("astype", {found}, call, {{"dtype", kInt64}});
  const Expr count = b.emit(call_of("reshape", {call_of("sum", {found}, call), ShapeExpr::make({int_imm(1)})}, call));
  return call_of("nonzero_sized", {call.args[0], ShapeExpr::make(named_sizes(count, 1, b))}, call);
}

Scalar count_of(const std::vector<Scalar>& dims) {
  Analyzer analyzer;
  return analyzer.simplify(product(dims));
}

// Returns x as a matrix whose rows are the slices along the axis; as a vector if the slices are elements.
Expr rows_of(const Call& call, const TensorType& x, const int64_t* axis) {
  const std::vector<Scalar>& dims = *x.dims();
  if (x.rank == 1) return call.args[0];
  if (!axis) return call_of("reshape", {call.args[0], ShapeExpr::make({count_of(dims)})}, call);
  const size_t at = static_cast<size_t>(*axis < 0 ? *axis + x.rank : *axis);
  std::vector<int64_t> order{static_cast<int64_t>(at)};
  std::vector<Scalar> rest;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i == at) continue;
    order.push_back(static_cast<int64_t>(i));
    rest.push_back(dims[i]);
  }
  const Expr turned =
      at == 0 ? call.args[0] : call_of("permute_dims", {call.args[0]}, call, {{"axes", AttrValue::ints(order)}});
  return rest.size() == 1 ? turned : call_of("reshape", {turned, ShapeExpr::make({dims[at], count_of(rest)})}, call);
}

Expr sized_unique(const Call& call, BlockBuilder& b) {
  const TensorType* x = sizable(call);
  if (!x) return Expr(&call);
  const auto* axis = call.attrs.find<int64_t>("axis");
  const Expr rows = b.emit(rows_of(call, *x, axis), "rows");
  const Expr groups =
      b.emit(call_of("unique_groups", {rows}, call, {{"sorted", *call.attrs.find<bool>("sorted")}}), "groups");
  const Expr count = b.emit(TupleGetItem::make(groups, 0), "count");
  const Expr size = PrimValue::make(named_sizes(count, 1, b).front());
  auto tuple = [](const Expr& e) { return Tuple::make({e}); };
  auto field = [&](int i) { return b.emit(TupleGetItem::make(groups, i)); };
  auto found = [&](int i) {
    const Expr zero = tuple(PrimValue::make(int_imm(0)));
    return b.emit(call_of("strided_slice", {field(i), zero, zero, tuple(size)}, call, {{"assume_inbound", true}}));
  };
  const Expr first = found(1);
  std::vector<Expr> fields{axis ? call_of("take", {call.args[0], first}, call, {{"axis", *axis}})
                                : call_of("take", {rows, first}, call, {{"axis", int64_t{0}}})};
  for (int i = 0; i < 3; ++i)
    if (*call.attrs.find<bool>(kExtras[i])) fields.push_back(i == 0 ? first : i == 1 ? field(2) : found(3));
  if (fields.size() == 1) return fields[0];
  fields[0] = b.emit(fields[0]);
  return Tuple::make(std::move(fields), call.span);
}

using Kind = TensorWish::Kind;

OpSample sample_unique(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number, .min_rank = 1, .max_rank = 3});
  OpSample sample{{x}, {{"sorted", s.chance(70)}}};
  for (const char* name : kExtras) sample.attrs[name] = s.chance(40);
  if (s.chance(40)) sample.attrs["axis"] = s.axis(sampled_rank(x));
  return sample;
}

OpSample sample_unique_groups(Sampler& s) {
  return {{s.tensor({.kind = Kind::Number, .min_rank = 1, .max_rank = 2})}, {{"sorted", s.chance(50)}}};
}

OpSample sample_nonzero(Sampler& s) { return {{s.tensor({.kind = s.chance(30) ? Kind::Boolean : Kind::Number})}}; }

OpSample sample_nonzero_sized(Sampler& s) {
  OpSample sample = sample_nonzero(s);
  sample.args.push_back(ShapeExpr::make(s.dims(1, 1)));
  return sample;
}

}  // namespace

void register_set_ops(OpTable& ops) {
  ops.add({.name = "unique",
           .summary = "Each different element once; on request with places, the way back, and counts.",
           .params = {{"x", "tensor"},
                      bool_param("sorted", "in order; else as they first occur", true),
                      bool_param("return_index", "where each first occurs", false),
                      bool_param("return_inverse", "which one stands at each place of x", false),
                      bool_param("return_counts", "how often each occurs", false),
                      int_param("axis", "slices along this axis instead of elements (C1)", AttrValue())},
           .constraints = {"C1: axis is in [-rank, rank - 1]"},
           .infer = infer_unique,
           .sized = sized_unique,
           .sample = sample_unique});
  ops.add({.name = "unique_groups",
           .summary = "How many groups of equal rows there are; by group where each first occurs; by row its group; by "
                      "group how many rows it has. Behind the last group stands 0.",
           .params = {{"x", "vector, whose elements are the rows, or matrix (C1)"},
                      bool_param("sorted", "groups in order; else as they first occur", true)},
           .constraints = {"C1: the rank is 1 or 2"},
           .infer = infer_unique_groups,
           .lower = lower_unique_groups,
           .sample = sample_unique_groups});
  ops.add({.name = "nonzero",
           .summary = "The places of the elements that are not 0: (rank, count).",
           .params = {{"x", "tensor"}},
           .infer = infer_nonzero,
           .sized = sized_nonzero,
           .sample = sample_nonzero});
  ops.add({.name = "nonzero_sized",
           .summary =
               "The first places of elements that are not 0, as many as `shape` says: (rank, count). Where there "
               "are fewer, -1 stands behind them.",
           .params = {{"x", "tensor"}, {"shape", "shape of one size: the count (C1)", ParamKind::Shape}},
           .constraints = {"C1: shape has rank 1"},
           .infer = infer_nonzero_sized,
           .lower = lower_nonzero_sized,
           .sample = sample_nonzero_sized});
}

}  // namespace sunmao
