// Cumulative sums and products, and the logarithms of sums of exponentials.
#include <limits>

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

Type infer_float_scan(const InferInput& in) {
  const TensorType& x = in.tensor(0);
  need_dtype(in, x.dtype.is_void() || x.dtype.is_float(), "data", "float", x.dtype);  // C2
  return infer_scan(in);
}

/// What a scan joins with each element.
struct Joined {
  Scalar (*join)(const Scalar& a, const Scalar& b);
  double nothing;  // which leaves the other operand as it is
};
constexpr Joined kSum{[](const Scalar& a, const Scalar& b) { return a + b; }, 0};
constexpr Joined kProduct{[](const Scalar& a, const Scalar& b) { return a * b; }, 1};
constexpr Joined kLogSum{log_add_exp, -std::numeric_limits<double>::infinity()};

template <const Joined& kJoined>
Ref<BaseFunc> lower_scan(const Call& call) {
  InferInput in = input_of(call);
  KernelBuilder k(op_of(call)->name());
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
  k.scan(
      y, "T_scan", axis,
      [&](const Indices& at) { return exclusive ? constant(y->dtype, kJoined.nothing) : element(at, 0); },
      [&](const Indices& at, const Scalar& previous) { return kJoined.join(previous, element(at, exclusive)); });
  return std::move(k).finish();
}

using Kind = TensorWish::Kind;

template <Kind kind>
OpSample sample_scan(Sampler& s) {
  Expr x = s.tensor({.kind = kind, .min_rank = 1, .size = Sizes::Whole});
  AttrMap attrs{{"exclusive", s.chance(50)}};
  if (s.chance(80)) attrs["axis"] = s.axis(sampled_rank(x));
  return {{x}, std::move(attrs)};
}

OpInfo scan_record(const char* name, const char* summary, LowerFn lower) {
  return {.name = name,
          .summary = summary,
          .params = {{"data", "tensor"},
                     int_param("axis", "the axis; None: over all elements in their order (C1)", AttrValue()),
                     dtype_param("dtype", "the dtype to compute in; None: that of data", AttrValue()),
                     bool_param("exclusive", "the element itself is not part", false)},
          .constraints = {"C1: axis is in [-rank, rank - 1]"},
          .infer = infer_scan,
          .lower = lower,
          .sample = sample_scan<Kind::Number>};
}

}  // namespace

void register_scan_ops(OpTable& ops) {
  ops.add(scan_record("cumprod", "The product of all elements up to each, along an axis.", lower_scan<kProduct>));
  ops.add(scan_record("cumsum", "The sum of all elements up to each, along an axis.", lower_scan<kSum>));
  OpInfo log_sum =
      scan_record("logcumsumexp", "log(sum(exp(x))) of all elements up to each, along an axis.", lower_scan<kLogSum>);
  log_sum.constraints.push_back("C2: data is a float tensor");
  log_sum.infer = infer_float_scan;
  log_sum.sample = sample_scan<Kind::Float>;
  ops.add(std::move(log_sum));
}

}  // namespace sunmao
