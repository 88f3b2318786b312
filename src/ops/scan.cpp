// Cumulative sums and products.
#include "ops/lowering.h"
#include "ops/ops.h"
#include "ops/samples/sampler.h"

namespace sunmao {
namespace {

Type infer_scan(const InferInput& in) {
  const TensorType& x = in.tensor(0);
  DType given = in.dtype_attr("dtype"), dtype = given.is_void() ? x.dtype : given;
  if (in.attr("axis").is_none()) {
    if (!written(x)) return TensorType::make_unknown(dtype, x.rank == kUnknownRank ? kUnknownRank : 1, x.vdevice);
    return TensorType::make({in.analyzer().simplify(product(*written(x)))}, dtype, x.vdevice);
  }
  if (x.rank != kUnknownRank) in.normalize_axis(in.int_attr("axis"), x.rank);  // C1
  return with_dtype(x, dtype);
}

template <bool kProduct>
Ref<BaseFunc> lower_scan(const Call& call) {
  InferInput in = input_of(call);
  KernelBuilder k(kProduct ? "cumprod" : "cumsum");
  Ref<Buffer> x = k.input("A", call.args[0]->type), y = k.output("T_scan", call.type);
  bool flat = in.attr("axis").is_none(), exclusive = in.bool_attr("exclusive");
  size_t axis = flat ? 0 : static_cast<size_t>(in.normalize_axis(in.int_attr("axis"), x->rank()));
  auto element = [&](const Indices& at, int64_t back) {
    Indices from = with_index(at, axis, back ? at[axis] - int_imm(back) : at[axis]);
    if (flat && x->rank() != 1) {
      Scalar place = from[0];
      from.assign(x->shape.size(), nullptr);
      for (size_t i = from.size(); i-- > 0;) {
        from[i] = i == 0 ? place : floor_mod(place, x->shape[i]);
        place = floor_div(place, x->shape[i]);
      }
    }
    return cast_to(y->dtype, load(x, from));
  };
  auto joined = [](const Scalar& a, const Scalar& b) { return kProduct ? a * b : a + b; };
  k.scan(
      y, "T_scan", axis, [&](const Indices& at) { return exclusive ? constant(y->dtype, kProduct) : element(at, 0); },
      [&](const Indices& at, const Scalar& previous) { return joined(previous, element(at, exclusive)); });
  return std::move(k).finish();
}

using Kind = TensorWish::Kind;

OpSample sample_scan(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number, .min_rank = 1, .size = Sizes::Whole});
  AttrMap attrs{{"exclusive", s.chance(50)}};
  if (s.chance(80)) attrs["axis"] = s.axis(sampled_rank(x));
  return {{x}, std::move(attrs)};
}

}  // namespace

void register_scan_ops(OpTable& ops) {
  for (bool is_product : {true, false})
    ops.add({.name = is_product ? "cumprod" : "cumsum",
             .summary = is_product ? "The product of all elements up to each, along an axis."
                                   : "The sum of all elements up to each, along an axis.",
             .params = {{"data", "tensor"},
                        int_param("axis", "the axis; None: over all elements in their order (C1)", AttrValue()),
                        dtype_param("dtype", "the dtype to compute in; None: that of data", AttrValue()),
                        bool_param("exclusive", "the element itself is not part", false)},
             .constraints = {"C1: axis is in [-rank, rank - 1]"},
             .infer = infer_scan,
             .lower = is_product ? lower_scan<true> : lower_scan<false>,
             .sample = sample_scan});
}

}  // namespace sunmao
