// Ops that sort along an axis. Sorting is stable; NaN counts as the largest value.
#include <fmt/format.h>

#include "ops/ops.h"
#include "ops/samples/sampler.h"
#include "ops/statements.h"

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
    values = written(x) ? TensorType::make(count < 1 ? *written(x) : with_index(*written(x), axis, int_imm(count)),
                                           x.dtype, x.vdevice)
                        : TensorType::make_unknown(x.dtype, x.rank, x.vdevice);
  }
  Type indices = with_dtype(*find<TensorType>(values), dtype);
  if (what == "values") return values;
  return what == "indices" ? indices : TupleType::make({values, indices});
}

constexpr int64_t kFew = 32;  // elements of which inserting costs less than sorting all

// Sorts each row along the axis, as far as its results need; elements of the result beyond the row's length are 0.
Ref<BaseFunc> lower_order(const Call& call, bool descending, bool values, bool indices) {
  InferInput in = input_of(call);
  KernelBuilder k(op_of(call)->name());
  Ref<Buffer> x = k.input("A", call.args[0]->type);
  size_t axis = static_cast<size_t>(in.normalize_axis(in.int_attr("axis"), x->rank()));
  const auto* tuple = find<TupleType>(call.type);
  Ref<Buffer> sorted = values ? k.output("values", tuple ? tuple->fields[0] : call.type) : nullptr;
  Ref<Buffer> places = indices ? k.output("indices", tuple ? tuple->fields[1] : call.type) : nullptr;
  const Scalar& length = x->shape[axis];
  PlacesInOrder order(length);
  auto write = [&](const Ref<Buffer>& out, const Indices& at, const Scalar& rank, const Scalar& value) {
    bool fits = in.analyzer().can_prove_equal(out->shape[axis], length) ||
                (find_int(length) && find_int(out->shape[axis]) && *find_int(out->shape[axis]) <= *find_int(length));
    return store(out, at, fits ? value : choose(less(rank, length), value, constant(value->dtype, 0)));
  };
  std::vector<Ref<Buffer>> writes;
  for (const Ref<Buffer>& b : {sorted, places})
    if (b) writes.push_back(b);
  const int64_t *count = find_int(writes[0]->shape[axis]), *all = find_int(length);
  const bool takes_few = count && *count > 0 && *count <= kFew && !(all && *all <= *count);
  k.steps({.name = op_of(call)->name(),
           .spatial = without_index(x->shape, axis),
           .reads = {x},
           .writes = writes,
           .locals = order.locals(),
           .body = [&](const Indices& row) {
             auto element = [&](const Scalar& place) { return load(x, insert_index(row, axis, place)); };
             Stmt fill = repeat("rank", writes[0]->shape[axis], [&](const Scalar& rank) {
               Indices at = insert_index(row, axis, rank);
               std::vector<Stmt> stores;
               if (sorted) stores.push_back(write(sorted, at, rank, element(order.at(rank))));
               if (places) stores.push_back(write(places, at, rank, cast_to(places->dtype, order.at(rank))));
               return in_order(std::move(stores));
             });
             const auto before = [&](const Scalar& a, const Scalar& b) {
               return stands_before(element(a), element(b), descending);
             };
             return in_order({takes_few ? order.select(*count, before) : order.sort(before), fill});
           }});
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

using Kind = TensorWish::Kind;

OpSample sample_order(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number, .min_rank = 1, .size = Sizes::Whole});
  return {{x}, {{"axis", s.axis(sampled_rank(x))}, {"descending", s.chance(50)}}};
}

OpSample sample_topk(Sampler& s) {
  static const std::vector<std::string> kResults{"both", "values", "indices"};
  Expr x = s.tensor({.kind = Kind::Number, .min_rank = 1, .size = Sizes::Whole});
  const int64_t axis = s.axis(sampled_rank(x));
  return {{x},
          {{"axis", axis},
           {"k", s.between(0, s.size_along(axis, x))},
           {"largest", s.chance(50)},
           {"ret_type", s.one_of(kResults)},
           {"dtype", s.chance(50) ? DType::int_(32) : DType::int_(64)}}};
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
           .lower = lower_sort,
           .sample = sample_order});
  ops.add({.name = "argsort",
           .summary = "The places of the elements in order along an axis.",
           .params = {{"data", "tensor"},
                      int_param("axis", "the axis (C1)", -1),
                      bool_param("descending", "the largest first", false),
                      dtype_param("dtype", "the dtype of the places", "int32")},
           .constraints = {"C1: axis is in [-rank, rank - 1]"},
           .infer = infer_argsort,
           .lower = lower_argsort,
           .sample = sample_order});
  ops.add({.name = "topk",
           .summary = "The first k elements in order along an axis, and their places.",
           .params = {{"data", "tensor"},
                      int_param("k", "how many; below 1: all", 1),
                      int_param("axis", "the axis (C1)", -1),
                      string_param("ret_type", "\"both\", \"values\" or \"indices\" (C2)", "both"),
                      bool_param("largest", "the largest first", true),
                      dtype_param("dtype", "the dtype of the places", "int32")},
           .constraints = {"C1: axis is in [-rank, rank - 1]", "C2: ret_type is one of the three"},
           .infer = infer_topk,
           .lower = lower_topk,
           .sample = sample_topk});
}

}  // namespace sunmao
