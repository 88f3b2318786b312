// Ops that order elements along an axis. Equal elements keep their order; NaN counts as the largest.
#include <fmt/format.h>

#include "ops/lowering.h"
#include "ops/ops.h"

namespace sunmao {
namespace {

Type infer_sort(const InferInput& in) {
  const TensorType& x = in.tensor(0);
  if (x.rank != kUnknownRank) in.normalize_axis(in.int_attr("axis"), x.rank);  // C1
  return in.type(0);
}

Type infer_argsort(const InferInput& in) {
  infer_sort(in);
  DType dtype = in.dtype_attr("dtype");
  return with_dtype(in.tensor(0), dtype.is_void() ? in.tensor(0).dtype : dtype);
}

Type infer_topk(const InferInput& in) {
  const TensorType& x = in.tensor(0);
  std::string what = word_attr(in, "ret_type", {"both", "values", "indices"});  // C2
  DType dtype = in.dtype_attr("dtype");
  int64_t count = in.int_attr("k");
  Type values;
  if (x.rank == kUnknownRank) {
    values = TensorType::make_unknown(x.dtype, kUnknownRank, x.vdevice);
  } else {
    size_t axis = static_cast<size_t>(in.normalize_axis(in.int_attr("axis"), x.rank));  // C1
    const int64_t* size = written(x) ? find_int((*written(x))[axis]) : nullptr;
    if (size && count > *size)  // C3
      in.error("E0309", fmt::format("`k` is {}, the axis has {} elements", count, *size));
    values = written(x) ? TensorType::make(count < 1 ? *written(x) : with_index(*written(x), axis, int_imm(count)),
                                           x.dtype, x.vdevice)
                        : TensorType::make_unknown(x.dtype, x.rank, x.vdevice);
  }
  Type indices = with_dtype(*find<TensorType>(values), dtype);
  if (what == "values") return values;
  return what == "indices" ? indices : TupleType::make({values, indices});
}

// Whether `a` at place i stands before `b` at place j.
Scalar stands_before(const Scalar& a, const Scalar& i, const Scalar& b, const Scalar& j, bool descending) {
  Scalar smaller = descending ? less(b, a) : less(a, b), same = equals(a, b);
  if (a->dtype.is_float()) {
    Scalar a_is_nan = Binary::make(BinaryOp::Ne, a, a), b_is_nan = Binary::make(BinaryOp::Ne, b, b);
    Scalar by_nan = descending ? both(a_is_nan, Not::make(b_is_nan)) : both(b_is_nan, Not::make(a_is_nan));
    smaller = Binary::make(BinaryOp::Or, smaller, by_nan);
    same = Binary::make(BinaryOp::Or, same, both(a_is_nan, b_is_nan));
  }
  return Binary::make(BinaryOp::Or, smaller, both(same, less(i, j)));
}

// The place of every element in the order: how many stand before it.
Ref<Buffer> ranks(KernelBuilder& k, const Ref<Buffer>& x, size_t axis, bool descending) {
  Ref<Buffer> rank = k.alloc("rank", DType::int_(64), x->shape);
  k.reduce(rank, "rank", {x->shape[axis]}, summed(rank->dtype), [&](const Indices& at, const Indices& r) {
    Scalar before = stands_before(load(x, with_index(at, axis, r[0])), r[0], load(x, at), at[axis], descending);
    return Cast::make(rank->dtype, before);
  });
  return rank;
}

// out[…, p, …] = value(…, j, …) of the element j whose place is p.
void pick(KernelBuilder& k, const Ref<Buffer>& out, const Ref<Buffer>& rank, size_t axis,
          const std::function<Scalar(const Indices&)>& value) {
  k.compute(out, out->name + "_start", [&](const Indices&) { return constant(out->dtype, 0); });
  k.accumulate(out, out->name, {rank->shape[axis]}, [&](const Indices& at, const Indices& r, const Scalar& old) {
    Indices from = with_index(at, axis, r[0]);
    return Select::make(equals(load(rank, from), at[axis]), value(from), old);
  });
}

Ref<BaseFunc> lower_order(const Call& call, bool descending, bool values, bool indices) {
  InferInput in = input_of(call);
  KernelBuilder k(op_of(call)->name());
  Ref<Buffer> x = k.input("A", call.args[0]->type);
  size_t axis = static_cast<size_t>(in.normalize_axis(in.int_attr("axis"), x->rank()));
  const auto* tuple = find<TupleType>(call.type);
  Ref<Buffer> sorted = values ? k.output("values", tuple ? tuple->fields[0] : call.type) : nullptr;
  Ref<Buffer> places = indices ? k.output("indices", tuple ? tuple->fields[1] : call.type) : nullptr;
  Ref<Buffer> rank = ranks(k, x, axis, descending);
  if (sorted) pick(k, sorted, rank, axis, [&](const Indices& from) { return load(x, from); });
  if (places) pick(k, places, rank, axis, [&](const Indices& from) { return cast_to(places->dtype, from[axis]); });
  return std::move(k).finish();
}

Ref<BaseFunc> lower_sort(const Call& call) {
  return lower_order(call, input_of(call).bool_attr("descending"), true, false);
}
Ref<BaseFunc> lower_argsort(const Call& call) {
  return lower_order(call, input_of(call).bool_attr("descending"), false, true);
}
Ref<BaseFunc> lower_topk(const Call& call) {
  InferInput in = input_of(call);
  std::string what = in.string_attr("ret_type");
  return lower_order(call, in.bool_attr("largest"), what != "indices", what != "values");
}

}  // namespace

void register_sorting_ops(OpTable& ops) {
  ops.add({.name = "sort",
           .summary = "The elements in order along an axis.",
           .params = {{"x", "tensor"},
                      int_param("axis", "the axis (C1)", -1),
                      bool_param("descending", "the largest first", false)},
           .constraints = {"C1: axis is in [-rank, rank - 1]"},
           .infer = infer_sort,
           .lower = lower_sort});
  ops.add({.name = "argsort",
           .summary = "The places of the elements in order along an axis.",
           .params = {{"data", "tensor"},
                      int_param("axis", "the axis (C1)", -1),
                      bool_param("descending", "the largest first", false),
                      dtype_param("dtype", "the dtype of the places", "int32")},
           .constraints = {"C1: axis is in [-rank, rank - 1]"},
           .infer = infer_argsort,
           .lower = lower_argsort});
  ops.add({.name = "topk",
           .summary = "The first k elements in order along an axis, and their places.",
           .params = {{"data", "tensor"},
                      int_param("k", "how many; below 1: all (C3)", 1),
                      int_param("axis", "the axis (C1)", -1),
                      string_param("ret_type", "\"both\", \"values\" or \"indices\" (C2)", "both"),
                      bool_param("largest", "the largest first", true),
                      dtype_param("dtype", "the dtype of the places", "int32")},
           .constraints = {"C1: axis is in [-rank, rank - 1]", "C2: ret_type is one of the three",
                           "C3: k is at most the size of the axis"},
           .infer = infer_topk,
           .lower = lower_topk});
}

}  // namespace sunmao
