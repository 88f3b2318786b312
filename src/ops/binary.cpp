// Elementwise ops on two tensors or scalars, broadcast against each other.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ops/broadcast.h"
#include "ops/float_format.h"
#include "ops/layout_rule.h"
#include "ops/lowering.h"
#include "ops/ops.h"
#include "ops/samples/shared_samples.h"

namespace sunmao {
namespace {

// An operand of a binary op; a scalar (prim value) counts as a tensor of rank 0.
struct Operand {
  DType dtype;
  int rank;
  const std::vector<Scalar>* dims;
  Ref<VDevice> vdevice;
};

const std::vector<Scalar> kNoDims;

Operand operand(const InferInput& in, size_t i) {
  if (const auto* p = find<PrimType>(in.type(i))) return {p->dtype, 0, &kNoDims, nullptr};
  const TensorType& t = in.tensor(i);
  return {t.dtype, t.rank, written(t), t.vdevice};
}

Type infer(const InferInput& in, bool gives_bool) {
  bool prim[2] = {find<PrimType>(in.type(0)) != nullptr, find<PrimType>(in.type(1)) != nullptr};
  Operand a = operand(in, 0), b = operand(in, 1);
  DType dtype = a.dtype.is_void() || b.dtype.is_void() ? DType::void_() : a.dtype;
  if (!gives_bool && !a.dtype.is_void() && !b.dtype.is_void() && a.dtype != b.dtype)  // C1
    in.error("E0304", fmt::format("operands differ in dtype: {} and {}", a.dtype.str(), b.dtype.str()),
             "use astype on one of them");
  if (gives_bool) dtype = DType::bool_();
  if (prim[0] && prim[1]) return PrimType::make(dtype);
  Ref<VDevice> device = prim[0] || prim[1] ? (prim[0] ? b : a).vdevice : common_vdevice(in, in.tensor(0), in.tensor(1));
  if (a.rank == kUnknownRank || b.rank == kUnknownRank) return TensorType::make_unknown(dtype, kUnknownRank, device);
  int rank = std::max(a.rank, b.rank);
  if (a.dims && b.dims) {
    if (auto dims = broadcast_shape(in, *a.dims, *b.dims))
      return TensorType::make(std::move(*dims), dtype, device);  // C2
  } else if (!prim[0] && !prim[1] && in.tensor(0).shape && in.tensor(0).shape == in.tensor(1).shape) {
    return TensorType::make_with_shape(in.tensor(0).shape, dtype, device);
  }
  return TensorType::make_unknown(dtype, rank, device);
}

Type infer_arithmetic(const InferInput& in) { return infer(in, false); }
Type infer_binary_bits(const InferInput& in) {
  DType t = operand(in, 0).dtype;
  need_dtype(in, !t.is_float(), "x1", "integer or bool", t);  // C3
  return infer(in, false);
}
Type infer_shift(const InferInput& in) {
  need_integers(in, "x1", operand(in, 0).dtype);  // C3
  return infer(in, false);
}
Type infer_binary_float(const InferInput& in) {
  DType t = operand(in, 0).dtype;
  need_dtype(in, t.is_void() || t.is_float(), "x1", "float", t);  // C3
  return infer(in, false);
}
Type infer_next(const InferInput& in) {
  DType t = operand(in, 0).dtype;
  need_dtype(in, t.is_void() || (t.is_float() && t.bits >= 8), "x1", "float of 8 bits or more", t);  // C3
  return infer(in, false);
}
Type infer_comparison(const InferInput& in) { return infer(in, true); }

using BinaryFn = Scalar (*)(const Scalar&, const Scalar&);

// Returns the dtype in which a comparison evaluates its operands: the float one if exactly one is a float, else the
// narrowest that holds the numbers of both. None does of uint64 and signed integers.
DType joint(DType a, DType b) {
  if (a == b) return a;
  if (a.is_float() != b.is_float()) return a.is_float() ? a : b;
  if (a.is_float()) return a.bits == b.bits ? DType::float_(32) : a.bits > b.bits ? a : b;
  if (a.is_bool() || b.is_bool()) return a.is_bool() ? b : a;
  if (a.is_int() == b.is_int()) return a.bits >= b.bits ? a : b;
  const int own = a.is_int() ? a.bits : b.bits, of_unsigned = 2 * (a.is_int() ? b.bits : a.bits);
  return DType::int_(std::max(own, std::min(of_unsigned, 64)));
}

template <BinaryFn kValue>
Ref<BaseFunc> lower_binary(const Call& call) {
  KernelBuilder k(op_of(call)->name());
  std::vector<Ref<Buffer>> in;
  for (size_t i = 0; i < 2; ++i)
    in.push_back(find<PrimType>(call.args[i]->type) ? nullptr : k.input(i ? "B" : "A", call.args[i]->type));
  Ref<Buffer> out = k.output("T", call.type);
  auto read = [&](size_t i, const Indices& at) {
    return in[i] ? load(in[i], broadcast_indices(in[i]->shape, at)) : scalar_value(call.args[i]);
  };
  k.compute(out, "T_" + op_of(call)->name(), [&](const Indices& at) { return kValue(read(0, at), read(1, at)); });
  return std::move(k).finish();
}

template <BinaryOp kOp>
Scalar binary(const Scalar& a, const Scalar& b) {
  return Binary::make(kOp, a, b);
}

// Compares numbers that may differ in dtype. A negative one is less than each of uint64, and any other fits in that.
template <BinaryOp kOp>
Scalar compared(const Scalar& a, const Scalar& b) {
  const DType wide = DType::uint(64);
  if (a->dtype.is_int() == b->dtype.is_int() || (a->dtype != wide && b->dtype != wide)) {
    const DType dtype = joint(a->dtype, b->dtype);
    return Binary::make(kOp, cast_to(dtype, a), cast_to(dtype, b));
  }
  const Scalar& number = a->dtype.is_int() ? a : b;
  const Scalar zero = constant(number->dtype, 0), one = constant(number->dtype, 1);
  const Scalar order = number.get() == a.get() ? Binary::make(kOp, zero, one) : Binary::make(kOp, one, zero);
  return choose(less(number, zero), order, Binary::make(kOp, cast_to(wide, a), cast_to(wide, b)));
}

Scalar call2(const char* name, const Scalar& a, const Scalar& b) { return ScalarCall::make(name, a->dtype, {a, b}); }
// Returns the remainder with the sign of b: fmod, which is exact, plus b if the signs differ; only that sum may round.
Scalar float_remainder(const Scalar& a, const Scalar& b) {
  const Scalar zero = constant(a->dtype, 0), rest = call2("fmod", a, b);
  const Scalar is_other = Binary::make(BinaryOp::Ne, less(rest, zero), less(b, zero));
  return choose(both(Binary::make(BinaryOp::Ne, rest, zero), is_other), rest + b, rest);
}
// floor_divide. Of floats (a - rest) / b is an integer except for rounding, so it is rounded to one, and is one less
// where the signs of rest and b differ; division by 0 yields a / b.
Scalar divided_down(const Scalar& a, const Scalar& b) {
  if (!a->dtype.is_float()) return floor_div(a, b);
  const Scalar zero = constant(a->dtype, 0), rest = call2("fmod", a, b);
  const Scalar is_other = Binary::make(BinaryOp::Ne, less(rest, zero), less(b, zero));
  const Scalar is_less = both(Binary::make(BinaryOp::Ne, rest, zero), is_other);
  const Scalar whole = intrinsic("round", divide(a - rest, b));
  return choose(equals(b, zero), divide(a, b), choose(is_less, whole - constant(a->dtype, 1), whole));
}
Scalar remainder_down(const Scalar& a, const Scalar& b) {
  return a->dtype.is_float() ? float_remainder(a, b) : floor_mod(a, b);
}
Scalar remainder(const Scalar& a, const Scalar& b) {
  return a->dtype.is_float() ? call2("fmod", a, b) : Binary::make(BinaryOp::TruncMod, a, b);
}
Scalar power(const Scalar& a, const Scalar& b) { return call2("pow", a, b); }
Scalar copysign(const Scalar& a, const Scalar& b) { return call2("copysign", a, b); }
Scalar hypot(const Scalar& a, const Scalar& b) { return call2("hypot", a, b); }
// Of integer operands atan2 truncates the angle to an integer.
Scalar atan2(const Scalar& a, const Scalar& b) {
  if (a->dtype.is_float()) return call2("atan2", a, b);
  const DType wide = DType::float_(64);
  return cast_to(a->dtype, call2("atan2", cast_to(wide, a), cast_to(wide, b)));
}
// xlogy is 0 where x1 is 0, whatever log(x2) is, unless x2 is NaN.
Scalar xlogy(const Scalar& a, const Scalar& b) {
  const Scalar zero = constant(a->dtype, 0), is_nan = ScalarCall::make("isnan", DType::bool_(), {b});
  return choose(both(equals(a, zero), Not::make(is_nan)), zero, a * intrinsic("log", b));
}

Scalar is_nonzero(const Scalar& a) {
  return a->dtype.is_bool() ? a : Binary::make(BinaryOp::Ne, a, constant(a->dtype, 0));
}
Scalar as(DType dtype, const Scalar& a) { return a->dtype == dtype ? a : Cast::make(dtype, a); }
Scalar logical_and(const Scalar& a, const Scalar& b) {
  return as(a->dtype, Binary::make(BinaryOp::And, is_nonzero(a), is_nonzero(b)));
}
Scalar logical_or(const Scalar& a, const Scalar& b) {
  return as(a->dtype, Binary::make(BinaryOp::Or, is_nonzero(a), is_nonzero(b)));
}
Scalar logical_xor(const Scalar& a, const Scalar& b) {
  return as(a->dtype, Binary::make(BinaryOp::Ne, is_nonzero(a), is_nonzero(b)));
}
Scalar bitwise_and(const Scalar& a, const Scalar& b) {
  return a->dtype.is_bool() ? logical_and(a, b) : call2("bitwise_and", a, b);
}
Scalar bitwise_or(const Scalar& a, const Scalar& b) {
  return a->dtype.is_bool() ? logical_or(a, b) : call2("bitwise_or", a, b);
}
Scalar bitwise_xor(const Scalar& a, const Scalar& b) {
  return a->dtype.is_bool() ? logical_xor(a, b) : call2("bitwise_xor", a, b);
}
Scalar left_shift(const Scalar& a, const Scalar& b) { return call2("shift_left", a, b); }
Scalar right_shift(const Scalar& a, const Scalar& b) { return call2("shift_right", a, b); }

using Kind = TensorWish::Kind;

// Draw a positive divisor, or a positive base of a power.
OpSample sample_quotient(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number});
  return {{x, partner(s, x, Values::Positive)}};
}

OpSample sample_power(Sampler& s) {
  Expr x = s.tensor({.values = Values::Positive});
  return {{x, partner(s, x)}};
}

OpSample sample_shift(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Integer});
  return {{x, partner(s, x, Values::Index, 7)}};
}

constexpr std::array<std::string_view, 14> kCommutative{
    "add",        "multiply",    "maximum",     "minimum",    "hypot",       "log_add_exp", "logical_and",
    "logical_or", "logical_xor", "bitwise_and", "bitwise_or", "bitwise_xor", "equal",       "not_equal"};

OpInfo record(const char* name, const char* summary, InferFn infer, LowerFn lower, SampleFn sample) {
  std::vector<std::string> constraints{"C1: both dtypes are the same", "C2: the shapes broadcast"};
  if (infer == infer_comparison) constraints = {"C1: the shapes broadcast"};
  if (infer == infer_binary_bits) constraints.push_back("C3: they are integers or bool");
  if (infer == infer_shift) constraints.push_back("C3: they are integers");
  if (infer == infer_binary_float) constraints.push_back("C3: they are floats");
  if (infer == infer_next) constraints.push_back("C3: they are floats of 8 bits or more");
  return {.name = name,
          .summary = summary,
          .params = {{"x1", "tensor or scalar"}, {"x2", "tensor or scalar; broadcast against x1"}},
          .constraints = std::move(constraints),
          .infer = infer,
          .lower = lower,
          .fuse = Fuse::Broadcast,
          .precision = Precision::Follow,
          .layout = layout_elementwise,
          .is_commutative = std::ranges::find(kCommutative, name) != kCommutative.end(),
          .sample = sample};
}

}  // namespace

void register_binary_ops(OpTable& ops) {
  auto add = [&](const char* name, const char* summary, LowerFn lowering,
                 SampleFn sample = sample_binary<Kind::Number>) {
    ops.add(record(name, summary, infer_arithmetic, lowering, sample));
  };
  auto bits = [&](const char* name, const char* summary, LowerFn lowering) {
    ops.add(record(name, summary, infer_binary_bits, lowering, sample_binary<Kind::Integer>));
  };
  auto shift = [&](const char* name, const char* summary, LowerFn lowering) {
    ops.add(record(name, summary, infer_shift, lowering, sample_shift));
  };
  auto floats = [&](const char* name, const char* summary, LowerFn lowering) {
    ops.add(record(name, summary, infer_binary_float, lowering, sample_binary<Kind::Float>));
  };
  auto compare = [&](const char* name, const char* summary, LowerFn lowering) {
    ops.add(record(name, summary, infer_comparison, lowering, sample_binary<Kind::Number>));
  };
  add("add", "x1 + x2", lower_binary<binary<BinaryOp::Add>>);
  add("subtract", "x1 - x2", lower_binary<binary<BinaryOp::Sub>>);
  add("multiply", "x1 * x2", lower_binary<binary<BinaryOp::Mul>>);
  add("divide", "x1 / x2; integers are divided towards zero", lower_binary<binary<BinaryOp::Div>>, sample_quotient);
  add("floor_divide", "x1 / x2, rounded down", lower_binary<divided_down>, sample_quotient);
  add("mod", "what x1 / x2, rounded towards zero, leaves: the sign is that of x1", lower_binary<remainder>,
      sample_quotient);
  add("floor_mod", "what floor_divide leaves: the sign is that of x2", lower_binary<remainder_down>, sample_quotient);
  add("power", "x1 to the power of x2", lower_binary<power>, sample_power);
  add("atan2", "the angle of the point (x2, x1), in (-pi, pi]", lower_binary<atan2>, sample_binary<Kind::Float>);
  floats("copysign", "the magnitude of x1 with the sign of x2, which 0 and NaN have too", lower_binary<copysign>);
  floats("hypot", "the length of the vector (x1, x2)", lower_binary<hypot>);
  floats("log_add_exp", "log(exp(x1) + exp(x2))", lower_binary<log_add_exp>);
  floats("xlogy", "x1 * log(x2); 0 where x1 is 0", lower_binary<xlogy>);
  OpInfo next = record("nextafter", "the float next to x1 in the direction of x2; x2 where both are equal", infer_next,
                       lower_binary<next_after>, sample_binary<Kind::Float>);
  next.precision = Precision::Keep;
  ops.add(std::move(next));
  add("maximum", "the larger of x1 and x2", lower_binary<binary<BinaryOp::Max>>);
  add("minimum", "the smaller of x1 and x2", lower_binary<binary<BinaryOp::Min>>);
  add("logical_and", "whether both are true", lower_binary<logical_and>, sample_binary<Kind::Boolean>);
  add("logical_or", "whether one is true", lower_binary<logical_or>, sample_binary<Kind::Boolean>);
  add("logical_xor", "whether exactly one is true", lower_binary<logical_xor>, sample_binary<Kind::Boolean>);
  bits("bitwise_and", "the bits that both have", lower_binary<bitwise_and>);
  bits("bitwise_or", "the bits that one has", lower_binary<bitwise_or>);
  bits("bitwise_xor", "the bits that exactly one has", lower_binary<bitwise_xor>);
  shift("left_shift", "x1 with its bits moved up by x2", lower_binary<left_shift>);
  shift("right_shift", "x1 with its bits moved down by x2; the sign stays", lower_binary<right_shift>);
  compare("equal", "x1 == x2", lower_binary<compared<BinaryOp::Eq>>);
  compare("not_equal", "x1 != x2", lower_binary<compared<BinaryOp::Ne>>);
  compare("less", "x1 < x2", lower_binary<compared<BinaryOp::Lt>>);
  compare("less_equal", "x1 <= x2", lower_binary<compared<BinaryOp::Le>>);
  compare("greater", "x1 > x2", lower_binary<compared<BinaryOp::Gt>>);
  compare("greater_equal", "x1 >= x2", lower_binary<compared<BinaryOp::Ge>>);
}

}  // namespace sunmao
