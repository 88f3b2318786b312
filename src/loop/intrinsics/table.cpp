#include "loop/intrinsics/table.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "loop/intrinsics/expansions.h"
#include "loop/intrinsics/integers.h"
#include "sym/walk.h"

namespace sunmao {
namespace {

using namespace intrinsics;
using Args = std::span<const Scalar>;
using OfOne = Scalar (*)(const Floats&, const Scalar&);
using OfTwo = Scalar (*)(const Floats&, const Scalar&, const Scalar&);

template <double (*F)(double)>
double one(const double* x) {
  return F(x[0]);
}
template <double (*F)(double, double)>
double two(const double* x) {
  return F(x[0], x[1]);
}
double reference_exp10(double x) { return std::pow(10.0, x); }
double reference_rsqrt(double x) { return 1.0 / std::sqrt(x); }
double reference_exp_at_most_one(double x) { return std::exp(x > 0 ? 0 : x); }
double reference_sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }
double reference_fma(const double* x) { return std::fma(x[0], x[1], x[2]); }
double reference_scalb(double x, double n) {
  return std::isnan(n) ? n : std::ldexp(x, static_cast<int>(std::clamp(n, -5000.0, 5000.0)));
}
double test_nan(double x) { return std::isnan(x) ? 1 : 0; }
double test_infinite(double x) { return std::isinf(x) ? 1 : 0; }
double test_finite(double x) { return std::isfinite(x) ? 1 : 0; }

template <OfOne F>
Scalar expand(const Floats& f, Args x) {
  return F(f, x[0]);
}
template <OfTwo F>
Scalar expand(const Floats& f, Args x) {
  return F(f, x[0], x[1]);
}
/// Computes a function of float32 in float64.
template <OfOne F>
Scalar in_double(const Floats& f, Args x) {
  const Floats d = f.doubled();
  return f.is_double() ? F(f, x[0]) : f.of_value(F(d, d.of_value(x[0])));
}
template <OfTwo F>
Scalar in_double(const Floats& f, Args x) {
  const Floats d = f.doubled();
  return f.is_double() ? F(f, x[0], x[1]) : f.of_value(F(d, d.of_value(x[0]), d.of_value(x[1])));
}
/// The same, for targets without `fma` alone.
template <OfOne F>
Scalar with_fma(const Floats& f, Args x) {
  return f.has_fma() ? F(f, x[0]) : in_double<F>(f, x);
}
template <OfTwo F>
Scalar with_fma(const Floats& f, Args x) {
  return f.has_fma() ? F(f, x[0], x[1]) : in_double<F>(f, x);
}
Scalar reciprocal_root(const Floats& f, Args x) { return divide(f.number(1), square_root(x[0])); }
Scalar finds_nan(const Floats&, Args x) { return is_nan(x[0]); }
Scalar finds_infinite(const Floats& f, Args x) { return f.equals(magnitude(x[0]), kInfinity); }
Scalar finds_finite(const Floats& f, Args x) { return f.below(magnitude(x[0]), kInfinity); }

using Result = Intrinsic::Result;

constexpr Intrinsic kTable[]{
    // Instructions.
    {.name = "sqrt", .of_floats = one<std::sqrt>},
    {.name = "floor", .is_exact = true, .of_floats = one<std::floor>},
    {.name = "ceil", .is_exact = true, .of_floats = one<std::ceil>},
    {.name = "trunc", .is_exact = true, .of_floats = one<std::trunc>},
    {.name = "round", .is_exact = true, .of_floats = one<std::nearbyint>},
    {.name = "nearbyint", .is_exact = true, .of_floats = one<std::nearbyint>},
    {.name = "fabs", .is_exact = true, .of_floats = one<std::fabs>},
    {.name = "abs",
     .operands = Operands::Numbers,
     .is_exact = true,
     .of_floats = one<std::fabs>,
     .of_integers = magnitude_of_integer},
    {.name = "copysign", .arity = 2, .is_exact = true, .of_floats = two<std::copysign>},
    {.name = "fma", .arity = 3, .of_floats = reference_fma},
    {.name = "scalb", .arity = 2, .bound = {.float32 = 1, .float64 = 1}, .of_floats = two<reference_scalb>},
    {.name = "fmod", .arity = 2, .of_floats = two<std::fmod>},
    // Bits of integers.
    {.name = "bitwise_and", .arity = 2, .operands = Operands::Integers, .of_integers = and_of_integers},
    {.name = "bitwise_or", .arity = 2, .operands = Operands::Integers, .of_integers = or_of_integers},
    {.name = "bitwise_xor", .arity = 2, .operands = Operands::Integers, .of_integers = xor_of_integers},
    {.name = "bitwise_not", .operands = Operands::Integers, .of_integers = not_of_integer},
    {.name = "shift_left", .arity = 2, .operands = Operands::Integers, .of_integers = shift_left_of_integers},
    {.name = "shift_right", .arity = 2, .operands = Operands::Integers, .of_integers = shift_right_of_integers},
    // Conditions.
    {.name = "likely", .operands = Operands::Bools, .of_integers = same_integer},
    {.name = "any_lane", .operands = Operands::Bools, .result = Result::OneBool, .of_integers = same_integer},
    {.name = "isnan", .result = Result::Bool, .of_floats = one<test_nan>, .expansion = finds_nan},
    {.name = "isinf", .result = Result::Bool, .of_floats = one<test_infinite>, .expansion = finds_infinite},
    {.name = "isfinite", .result = Result::Bool, .of_floats = one<test_finite>, .expansion = finds_finite},
    // Roots, exponentials and logarithms.
    {.name = "rsqrt", .bound = {2, 2}, .of_floats = one<reference_rsqrt>, .expansion = reciprocal_root},
    {.name = "exp", .bound = {2, 2}, .of_floats = one<std::exp>, .expansion = expand<intrinsics::exp>},
    {.name = "exp_at_most_one",  // exp(min(x, 0)): for differences from a maximum
     .bound = {2, 2},
     .of_floats = one<reference_exp_at_most_one>,
     .expansion = expand<intrinsics::exp_at_most_one>},
    {.name = "exp2", .bound = {1.25, 2}, .of_floats = one<std::exp2>, .expansion = expand<intrinsics::exp2>},
    {.name = "exp10", .bound = {1.25, 4}, .of_floats = one<reference_exp10>, .expansion = expand<intrinsics::exp10>},
    {.name = "log", .bound = {2, 2}, .of_floats = one<std::log>, .expansion = expand<intrinsics::log>},
    {.name = "log2", .bound = {1.5, 3}, .of_floats = one<std::log2>, .expansion = with_fma<intrinsics::log2>},
    {.name = "log10", .bound = {1.25, 3}, .of_floats = one<std::log10>, .expansion = with_fma<intrinsics::log10>},
    {.name = "log1p", .bound = {1.25, 3}, .of_floats = one<std::log1p>, .expansion = expand<intrinsics::log1p>},
    {.name = "pow",
     .arity = 2,
     .operands = Operands::Numbers,
     .bound = {1, 2000},  // in float64 the error of the logarithm is multiplied by the exponent
     .of_floats = two<std::pow>,
     .of_integers = power_of_integers,
     .expansion = expand<intrinsics::pow>},
    {.name = "power",
     .arity = 2,
     .operands = Operands::Numbers,
     .bound = {1, 2000},
     .of_floats = two<std::pow>,
     .of_integers = power_of_integers,
     .expansion = expand<intrinsics::pow>},
    {.name = "hypot",
     .arity = 2,
     .bound = {1, 3},
     .of_floats = two<std::hypot>,
     .expansion = expand<intrinsics::hypot>},
    // Circular functions.
    {.name = "sin", .bound = {1, 4}, .of_floats = one<std::sin>, .expansion = expand<intrinsics::sin>},
    {.name = "cos", .bound = {1, 4}, .of_floats = one<std::cos>, .expansion = expand<intrinsics::cos>},
    {.name = "tan", .bound = {1.5, 8}, .of_floats = one<std::tan>, .expansion = expand<intrinsics::tan>},
    {.name = "asin", .bound = {1, 4}, .of_floats = one<std::asin>, .expansion = with_fma<intrinsics::asin>},
    {.name = "acos", .bound = {1, 4}, .of_floats = one<std::acos>, .expansion = with_fma<intrinsics::acos>},
    {.name = "atan", .bound = {1.5, 3}, .of_floats = one<std::atan>, .expansion = with_fma<intrinsics::atan>},
    {.name = "atan2",
     .arity = 2,
     .bound = {1.5, 3},
     .of_floats = two<std::atan2>,
     .expansion = with_fma<intrinsics::atan2>},
    // Hyperbolic functions and erf.
    {.name = "sinh", .bound = {1.5, 8}, .of_floats = one<std::sinh>, .expansion = expand<intrinsics::sinh>},
    {.name = "cosh", .bound = {1.5, 8}, .of_floats = one<std::cosh>, .expansion = expand<intrinsics::cosh>},
    {.name = "tanh", .bound = {4, 4}, .of_floats = one<std::tanh>, .expansion = expand<intrinsics::tanh>},
    {.name = "asinh", .bound = {1.25, 5}, .of_floats = one<std::asinh>, .expansion = with_fma<intrinsics::asinh>},
    {.name = "acosh", .bound = {1.25, 5}, .of_floats = one<std::acosh>, .expansion = with_fma<intrinsics::acosh>},
    {.name = "atanh", .bound = {1.25, 5}, .of_floats = one<std::atanh>, .expansion = with_fma<intrinsics::atanh>},
    {.name = "sigmoid",
     .bound = {.float32 = 4, .float64 = 4, .may_flush = true},
     .of_floats = one<reference_sigmoid>,
     .expansion = expand<intrinsics::sigmoid>},
    {.name = "erf", .bound = {6, 64}, .of_floats = one<std::erf>, .expansion = expand<intrinsics::erf>},
};

bool takes(Operands operands, DType dtype) {
  switch (operands) {
    case Operands::Floats: return dtype.is_float();
    case Operands::Integers: return dtype.is_integral();
    case Operands::Numbers: return dtype.is_float() || dtype.is_integral();
    case Operands::Bools: return dtype.is_bool();
  }
  return false;
}

// Binds operands that are no leaves, and makes narrow floats float32.
class Expander {
 public:
  Expander(const ScalarCall& call, const Intrinsic& intrinsic, bool has_fma)
      : call_(call), intrinsic_(intrinsic), from_(call.args[0]->dtype),
        floats_(from_.bits < 32 ? DType::float_(32, from_.lanes) : from_, has_fma) {}

  Scalar run() {
    std::vector<Scalar> args;
    for (const Scalar& a : call_.args) args.push_back(leaf(a));
    Scalar out = with_lets(intrinsic_.expansion(floats_, args));
    if (out->dtype != call_.dtype) out = Cast::make(call_.dtype, out);
    for (size_t i = lets_.size(); i-- > 0;) out = Let::make(lets_[i].first, lets_[i].second, out);
    return out;
  }

 private:
  Scalar leaf(const Scalar& arg) {
    const Scalar wide = from_ == floats_.dtype() ? arg : floats_.of_value(arg);
    if (find<SymVar>(wide) || find<FloatImm>(wide)) return wide;
    const Ref<SymVar> var = SymVar::make("x", wide->dtype);
    lets_.emplace_back(var, wide);
    return var;
  }

  const ScalarCall& call_;
  const Intrinsic& intrinsic_;
  const DType from_;
  const Floats floats_;
  std::vector<std::pair<Ref<SymVar>, Scalar>> lets_;
};

}  // namespace

std::span<const Intrinsic> all_intrinsics() { return kTable; }

const Intrinsic* find_intrinsic(std::string_view name) {
  const auto* found = std::ranges::find(kTable, name, &Intrinsic::name);
  return found == std::end(kTable) ? nullptr : found;
}

const Intrinsic* find_intrinsic(const ScalarCall& call) {
  const Intrinsic* found = find_intrinsic(std::string_view(call.name));
  if (!found || call.args.size() != found->arity) return nullptr;
  const DType first = call.args[0]->dtype;
  for (const Scalar& a : call.args)
    if (!takes(found->operands, a->dtype) || (a->dtype != first && (first.is_float() || a->dtype.is_float())))
      return nullptr;
  if (found->result != Result::OfOperands) return call.dtype.is_bool() ? found : nullptr;
  return call.dtype == first || (first.is_integral() && call.dtype.is_integral()) ? found : nullptr;
}

Scalar expand_intrinsic(const ScalarCall& call, bool has_fma) {
  const Intrinsic* found = find_intrinsic(call);
  if (!found || !found->expansion || !call.args[0]->dtype.is_float() || call.args[0]->dtype.is_scalable) return nullptr;
  return Expander(call, *found, has_fma).run();
}

bool is_expensive(const Scalar& value) {
  bool found = false;
  visit_all(value, [&](const Scalar& s) {
    const auto* call = find<ScalarCall>(s);
    const Intrinsic* known = call ? find_intrinsic(*call) : nullptr;
    found = found || (known && known->expansion && known->result == Intrinsic::Result::OfOperands);
  });
  return found;
}

}  // namespace sunmao
