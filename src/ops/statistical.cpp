// Reductions over axes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ops/layout_rule.h"
#include "ops/lowering.h"
#include "ops/ops.h"
#include "ops/samples/sampler.h"
#include "ops/statements.h"

namespace sunmao {
namespace {

// Returns the reduced axes: all of them where `axis` is None.
std::vector<bool> reduced_axes(const InferInput& in, int rank) {
  std::optional<std::vector<int64_t>> axes = in.ints_attr("axis");
  std::vector<bool> reduced(static_cast<size_t>(rank), !axes);
  if (axes)
    for (int axis : distinct_axes(in, *axes, rank)) reduced[static_cast<size_t>(axis)] = true;  // C1, C2
  return reduced;
}

Type infer_reduction(const InferInput& in) {
  const TensorType& x = in.tensor(0);
  bool keep = in.bool_attr("keepdims");
  if (x.rank == kUnknownRank) {
    bool to_scalar = !in.ints_attr("axis") && !keep;
    return to_scalar ? TensorType::make({}, x.dtype, x.vdevice)
                     : TensorType::make_unknown(x.dtype, kUnknownRank, x.vdevice);
  }
  std::vector<bool> reduced = reduced_axes(in, x.rank);
  int rank = keep ? x.rank : static_cast<int>(std::ranges::count(reduced, false));
  bool to_ones = std::ranges::count(reduced, false) == 0;
  if (!written(x) && !to_ones) return TensorType::make_unknown(x.dtype, rank, x.vdevice);
  std::vector<Scalar> dims;
  for (size_t i = 0; i < reduced.size(); ++i) {
    if (!reduced[i])
      dims.push_back((*written(x))[i]);
    else if (keep)
      dims.push_back(int_imm(1));
  }
  return TensorType::make(std::move(dims), x.dtype, x.vdevice);
}

// The loop structure of a reduction: its reduced axes and extents, and the index map into the input.
struct Reducer {
  explicit Reducer(const InferInput& in, const Ref<Buffer>& x)
      : reduced(reduced_axes(in, x->rank())), keep(in.bool_attr("keepdims")) {
    for (size_t i = 0; i < reduced.size(); ++i)
      if (reduced[i]) extents.push_back(x->shape[i]);
    count = in.analyzer().simplify(product(extents));
  }
  Indices source(const Indices& at, const Indices& r) const {
    Indices from;
    size_t kept = 0, next = 0;
    for (size_t i = 0; i < reduced.size(); ++i) {
      from.push_back(reduced[i] ? r[next++] : at[kept]);
      if (keep || !reduced[i]) ++kept;
    }
    return from;
  }
  std::vector<bool> reduced;
  bool keep;
  std::vector<Scalar> extents;
  Scalar count;
};

Ref<BaseFunc> lower_plain(const Call& call, const char* name, const KernelBuilder::Reduction& reduction) {
  KernelBuilder k(name);
  Ref<Buffer> x = k.input("A", call.args[0]->type), y = k.output("A_red", call.type);
  Reducer loops(input_of(call), x);
  k.reduce(y, name, loops.extents, reduction,
           [&](const Indices& at, const Indices& r) { return load(x, loops.source(at, r)); });
  return std::move(k).finish();
}

DType element(const Call& call) {
  DType dtype = find<TensorType>(call.type)->dtype;
  if (dtype.is_void())
    input_of(call).error("E0314", "`x` needs a known dtype to be compiled, got " + describe(call.args[0]->type));
  return dtype;
}

Ref<BaseFunc> lower_sum(const Call& call) { return lower_plain(call, "sum", summed(element(call))); }
Ref<BaseFunc> lower_max(const Call& call) { return lower_plain(call, "max", largest(element(call))); }
Ref<BaseFunc> lower_min(const Call& call) { return lower_plain(call, "min", smallest(element(call))); }
Ref<BaseFunc> lower_prod(const Call& call) {
  return lower_plain(call, "prod",
                     {constant(element(call), 1), [](const Scalar& a, const Scalar& b) { return a * b; }});
}

// Writes the mean of `value` over the reduction to `out`.
void write_mean(KernelBuilder& k, const Ref<Buffer>& out, const std::string& name, const Reducer& loops,
                const std::function<Scalar(const Indices&, const Indices&)>& value) {
  Ref<Buffer> sum = k.alloc(name + "_sum", out->dtype, out->shape);
  k.reduce(sum, name + "_sum", loops.extents, summed(out->dtype), value);
  Scalar divisor = Cast::make(out->dtype, loops.count);
  k.compute(out, name + "_divide", [&](const Indices& at) { return divide(load(sum, at), divisor); });
}

Ref<BaseFunc> lower_mean(const Call& call) {
  KernelBuilder k("mean");
  Ref<Buffer> x = k.input("A", call.args[0]->type), y = k.output("A_red", call.type);
  Reducer loops(input_of(call), x);
  write_mean(k, y, "A", loops, [&](const Indices& at, const Indices& r) { return load(x, loops.source(at, r)); });
  return std::move(k).finish();
}

// The population variance: divided by the count, not by the count less 1.
template <bool kRoot>
Ref<BaseFunc> lower_variance(const Call& call) {
  KernelBuilder k(kRoot ? "std" : "variance");
  Ref<Buffer> x = k.input("A", call.args[0]->type), y = k.output("A_red", call.type);
  Reducer loops(input_of(call), x);
  Ref<Buffer> mean = k.alloc("A_mean", y->dtype, y->shape);
  write_mean(k, mean, "A", loops, [&](const Indices& at, const Indices& r) { return load(x, loops.source(at, r)); });
  Ref<Buffer> variance = kRoot ? k.alloc("A_variance", y->dtype, y->shape) : y;
  write_mean(k, variance, "V", loops, [&](const Indices& at, const Indices& r) {
    Scalar off = load(x, loops.source(at, r)) - load(mean, at);
    return off * off;
  });
  if (kRoot) k.compute(y, "T_sqrt", [&](const Indices& at) { return intrinsic("sqrt", load(variance, at)); });
  return std::move(k).finish();
}

Type infer_float_reduction(const InferInput& in) {
  need_float(in, in.tensor(0));  // C3
  return infer_reduction(in);
}

// With a single axis the result of median also holds the positions of the medians; also without axis on an unknown rank
// with keepdims, as upstream (TVM) has it.
Type infer_median(const InferInput& in) {
  Type values = infer_reduction(in);
  auto axes = in.ints_attr("axis");
  bool with_places = axes ? axes->size() == 1 : in.tensor(0).rank == kUnknownRank && in.bool_attr("keepdims");
  return with_places ? TupleType::make({values, with_dtype(*find<TensorType>(values), DType::int_(64))}) : values;
}

// Selects the lower of two middle elements; NaN when the row contains NaN. An empty row yields NaN, or 0 for integers.
Ref<BaseFunc> lower_median(const Call& call) {
  KernelBuilder k("median");
  Ref<Buffer> x = k.input("A", call.args[0]->type);
  const auto* tuple = find<TupleType>(call.type);
  Ref<Buffer> y = k.output("T_median", tuple ? tuple->fields[0] : call.type),
              places = tuple ? k.output("T_place", tuple->fields[1]) : nullptr;
  Reducer loops(input_of(call), x);
  PlacesInOrder order(loops.count);
  Cell chosen("chosen", DType::int_(64));
  std::vector<Ref<Buffer>> locals = order.locals(), writes{y};
  locals.push_back(chosen.buffer());
  if (places) writes.push_back(places);
  const bool is_float = x->dtype.is_float();
  k.steps(
      {.name = "median",
       .spatial = y->shape,
       .reads = {x},
       .writes = writes,
       .locals = locals,
       .body = [&](const Indices& at) {
         auto element = [&](const Scalar& place) {
           return load(x, loops.source(at, split_index(place, loops.extents)));
         };
         std::vector<Stmt> steps{
             order.sort([&](const Scalar& a, const Scalar& b) { return stands_before(element(a), element(b), false); }),
             when(less(int_imm(0), loops.count), chosen.set(order.at(floor_div(loops.count - int_imm(1), int_imm(2)))),
                  chosen.set(int_imm(-1)))};
         if (is_float) {
           steps.push_back(repeat("t", loops.count, [&](const Scalar& t) {
             // NaNs sort last; scanning backwards, the first NaN is the last one found.
             Scalar place = order.at(loops.count - int_imm(1) - t), value = element(place);
             return when(Binary::make(BinaryOp::Ne, value, value), chosen.set(place));
           }));
         }
         Scalar none = constant(y->dtype, is_float ? std::nan("") : 0);
         steps.push_back(store(y, at, choose(less(chosen.get(), int_imm(0)), none, element(chosen.get()))));
         if (places) steps.push_back(store(places, at, chosen.get()));
         return in_order(std::move(steps));
       }});
  return std::move(k).finish();
}

using Kind = TensorWish::Kind;

// `axis` is drawn as None, one axis, or several.
OpSample over_axes(Sampler& s, const Expr& x) {
  AttrMap attrs{{"keepdims", s.chance(50)}};
  if (sampled_rank(x) > 0 && s.chance(70)) attrs["axis"] = AttrValue::ints(s.axes(sampled_rank(x)));
  return {{x}, std::move(attrs)};
}

OpSample sample_reduction(Sampler& s) { return over_axes(s, s.tensor({.kind = Kind::Number})); }

OpSample sample_float_reduction(Sampler& s) { return over_axes(s, s.tensor({})); }

// Draws a median over one axis, several, or all.
OpSample sample_median(Sampler& s) { return over_axes(s, s.tensor({.kind = Kind::Number, .size = Sizes::Some})); }

OpInfo reduction(const char* name, const char* summary, InferFn infer, LowerFn lower) {
  std::vector<std::string> constraints{"C1: each axis is in [-rank, rank - 1]", "C2: none twice"};
  if (infer == infer_float_reduction) constraints.push_back("C3: the dtype is a float");
  return {.name = name,
          .summary = summary,
          .params = {{"x", "tensor"},
                     ints_param("axis", "axis or axes; None reduces all (C1, C2)", AttrValue()),
                     bool_param("keepdims", "keep reduced axes with size 1", false)},
          .constraints = std::move(constraints),
          .infer = infer,
          .lower = lower,
          .fuse = Fuse::Reduce,
          .layout = infer == infer_median ? nullptr : layout_reduction,
          .sample = infer == infer_float_reduction ? sample_float_reduction : sample_reduction};
}

}  // namespace

void register_statistical_ops(OpTable& ops) {
  ops.add(reduction("sum", "The sum over `axis`; 0 over nothing.", infer_reduction, lower_sum));
  ops.add(reduction("prod", "The product over `axis`; 1 over nothing.", infer_reduction, lower_prod));
  ops.add(reduction("mean", "The mean over `axis`.", infer_float_reduction, lower_mean));
  ops.add(reduction("max", "The largest element over `axis`.", infer_reduction, lower_max));
  ops.add(reduction("min", "The smallest element over `axis`.", infer_reduction, lower_min));
  ops.add(reduction("variance", "The mean square distance from the mean over `axis`.", infer_float_reduction,
                    lower_variance<false>));
  ops.add(
      reduction("std", "The square root of the variance over `axis`.", infer_float_reduction, lower_variance<true>));
  OpInfo median = reduction("median", "The middle element over `axis`; over one axis with its place, as a tuple.",
                            infer_median, lower_median);
  median.fuse = Fuse::Opaque;
  median.sample = sample_median;
  ops.add(std::move(median));
}

}  // namespace sunmao
