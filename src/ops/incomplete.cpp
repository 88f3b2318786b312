// Functions of two numbers that are sums of many terms: Hurwitz's zeta function and the incomplete gamma functions.
#include <array>
#include <cmath>

#include "ops/broadcast.h"
#include "ops/float64.h"
#include "ops/ops.h"
#include "ops/samples/shared_samples.h"
#include "ops/special_functions.h"
#include "ops/statements.h"

namespace sunmao {
namespace {

Scalar is_infinite(const Scalar& x) { return equals(magnitude(x), float64(HUGE_VAL)); }
Scalar raised(const Scalar& x, const Scalar& y) { return ScalarCall::make("power", kFloat64, {x, y}); }

Type infer_pair(const InferInput& in) {
  const TensorType &a = in.tensor(0), &b = in.tensor(1);
  need_float(in, a);  // C1
  const DType dtype = common_dtype(in, a, b);
  const Ref<VDevice> device = common_vdevice(in, a, b);
  const int rank = a.rank == kUnknownRank || b.rank == kUnknownRank ? kUnknownRank : std::max(a.rank, b.rank);
  if (!written(a) || !written(b)) return TensorType::make_unknown(dtype, rank, device);
  auto dims = broadcast_shape(in, *written(a), *written(b));  // C2
  return dims ? TensorType::make(std::move(*dims), dtype, device) : TensorType::make_unknown(dtype, rank, device);
}

/// The cells and the statements that compute `result` of the numbers `a` and `x`.
class PairFunction {
 public:
  Scalar a() const { return a_.get(); }
  Scalar x() const { return x_.get(); }
  Ref<BaseFunc> kernel(const Call& call, const Stmt& steps, std::vector<Ref<Buffer>> locals) const {
    const std::string name = op_of(call)->name();
    KernelBuilder k(name);
    Ref<Buffer> a = k.input("A", call.args[0]->type), x = k.input("B", call.args[1]->type),
                y = k.output("T", call.type);
    locals.insert(locals.end(), {a_.buffer(), x_.buffer(), result.buffer()});
    k.steps({.name = name,
             .spatial = y->shape,
             .reads = {a, x},
             .writes = {y},
             .locals = std::move(locals),
             .body = [&](const Indices& at) {
               return in_order({a_.set(load(a, broadcast_indices(a->shape, at))),
                                x_.set(load(x, broadcast_indices(x->shape, at))), steps, store(y, at, result.get())});
             }});
    return std::move(k).finish();
  }
  const Cell result{"result", kFloat64};

 private:
  const Cell a_{"a", kFloat64}, x_{"x", kFloat64};
};

// A sum of float64 with what rounding has taken from it.
class ExactSum {
 public:
  std::vector<Ref<Buffer>> locals() const {
    return {sum_.buffer(), rest_.buffer(), term_.buffer(), next_.buffer(), part_.buffer()};
  }
  Stmt clear() const { return in_order({sum_.set(float64(0)), rest_.set(float64(0))}); }
  Stmt add(const Scalar& term) const {
    const Scalar sum = sum_.get(), t = term_.get(), next = next_.get(), part = part_.get();
    return in_order({term_.set(term), next_.set(sum + t), part_.set(next - sum),
                     rest_.set(rest_.get() + ((sum - (next - part)) + (t - part))), sum_.set(next)});
  }
  /// The rest of a sum that is infinite is none.
  Scalar value() const { return choose(equals(rest_.get(), rest_.get()), sum_.get() + rest_.get(), sum_.get()); }

 private:
  const Cell sum_{"sum", kFloat64}, rest_{"rest", kFloat64}, term_{"term", kFloat64}, next_{"next", kFloat64},
      part_{"part", kFloat64};
};

// The sum of (q + k)^-s over all k >= 0: at least ten terms, and Euler and Maclaurin's formula for those from 10 on.
Ref<BaseFunc> lower_zeta(const Call& call) {
  constexpr double kFirst = 10, kMostTerms = 1e6;
  constexpr std::array<double, 11> kSeries{// B(2k) / (2k)!
                                           8.3333333333333333e-02,  -1.3888888888888889e-03, 3.3068783068783069e-05,
                                           -8.2671957671957672e-07, 2.0876756987868099e-08,  -5.2841901386874932e-10,
                                           1.3382536530684679e-11,  -3.3896802963225829e-13, 8.5860620562778446e-15,
                                           -2.1748686985580619e-16, 5.5090028283602295e-18};
  const PairFunction f;
  const Cell far("far", kFloat64), factor("factor", kFloat64);
  const ExactSum sum;
  const Scalar s = f.a(), q = f.x(), w = far.get();
  Stmt first = in_order({sum.add(raised(w, float64(0) - s)), far.set(w + float64(1))});
  std::vector<Stmt> series{sum.clear(),
                           far.set(q),
                           While::make(less(w, max(q, float64(0)) + float64(kFirst)), first),
                           factor.set(raised(w, float64(0) - s)),
                           sum.add(divide(factor.get() * w, s - float64(1))),
                           sum.add(float64(0.5) * factor.get()),
                           factor.set(factor.get() * divide(s, w))};
  for (size_t k = 0; k < kSeries.size(); ++k) {
    const double place = 2 * static_cast<double>(k);
    series.push_back(sum.add(float64(kSeries[k]) * factor.get()));
    series.push_back(factor.set(factor.get() * divide((s + float64(place + 1)) * (s + float64(place + 2)), w * w)));
  }
  series.push_back(f.result.set(sum.value()));
  const Scalar is_whole_place = equals(intrinsic("floor", q), q), is_whole_order = equals(intrinsic("floor", s), s);
  const Scalar zero = float64(0);
  // A term of the sum has no value, or is infinite; or all terms but the first vanish.
  Stmt below = when(
      is_whole_place, f.result.set(float64(HUGE_VAL)),
      when(both(is_whole_order, less(float64(-kMostTerms), q)), in_order(series), f.result.set(float64(std::nan("")))));
  Stmt at_ends =
      when(is_infinite(q), f.result.set(choose(less(zero, q), zero, float64(std::nan("")))),
           when(is_infinite(s), f.result.set(raised(q, float64(0) - s)), when(less(zero, q), in_order(series), below)));
  Stmt steps = when(equals(s, float64(1)), f.result.set(float64(HUGE_VAL)),
                    when(less(float64(1), s), at_ends, f.result.set(float64(std::nan("")))));
  const Scalar has_nan = Binary::make(BinaryOp::Or, differs(s, s), differs(q, q));
  std::vector<Ref<Buffer>> locals = sum.locals();
  locals.insert(locals.end(), {far.buffer(), factor.buffer()});
  return f.kernel(call, when(has_nan, f.result.set(float64(std::nan(""))), steps), std::move(locals));
}

// The share of the gamma function of `a` that lies below x or above it: below a + 1 by the series of the lower share,
// beyond by the continued fraction of the upper one (Lentz's algorithm).
template <bool kUpper>
Ref<BaseFunc> lower_incomplete_gamma(const Call& call) {
  constexpr double kMostSteps = 100000, kTiny = 1e-300;
  const PairFunction f;
  const Cell term("term", kFloat64), sum("sum", kFloat64), n("n", kFloat64), c("c", kFloat64), d("d", kFloat64),
      b("b", kFloat64);
  const Scalar a = f.a(), x = f.x(), zero = float64(0), one = float64(1);
  const Scalar weight = intrinsic("exp", a * intrinsic("log", x) - x - lgamma(a));
  Stmt add =
      in_order({n.set(n.get() + one), term.set(term.get() * divide(x, a + n.get())), sum.set(sum.get() + term.get())});
  Stmt series = in_order(
      {term.set(divide(one, a)), sum.set(term.get()), n.set(zero),
       While::make(both(less(float64(kHalfSpacing) * sum.get(), term.get()), less(n.get(), float64(kMostSteps))), add),
       f.result.set(kUpper ? one - weight * sum.get() : weight * sum.get())});
  const auto safe = [&](const Scalar& value) {
    return choose(less(magnitude(value), float64(kTiny)), float64(kTiny), value);
  };
  const Scalar factor = n.get() * (a - n.get());
  Stmt extend = in_order(
      {n.set(n.get() + one), b.set(b.get() + float64(2)), d.set(divide(one, safe(factor * d.get() + b.get()))),
       c.set(safe(b.get() + divide(factor, c.get()))), term.set(c.get() * d.get()), sum.set(sum.get() * term.get())});
  const Scalar goes_on =
      both(less(float64(kHalfSpacing), magnitude(term.get() - one)), less(n.get(), float64(kMostSteps)));
  Stmt fraction = in_order({b.set(x + one - a), c.set(float64(1 / kTiny)), d.set(divide(one, safe(b.get()))),
                            sum.set(d.get()), term.set(zero), n.set(zero), While::make(goes_on, extend),
                            f.result.set(kUpper ? weight * sum.get() : one - weight * sum.get())});
  const auto share = [&](double lower) { return f.result.set(float64(kUpper ? 1 - lower : lower)); };
  // At the ends the whole gamma function lies on one side.
  Stmt at_a_zero = when(less(zero, x), share(1), f.result.set(float64(std::nan(""))));
  Stmt at_a_end = when(is_infinite(x), f.result.set(float64(std::nan(""))), share(0));
  Stmt inside =
      when(equals(x, zero), share(0), when(is_infinite(x), share(1), when(less(x, a + one), series, fraction)));
  Stmt steps = when(equals(a, zero), at_a_zero, when(is_infinite(a), at_a_end, inside));
  const Scalar is_valid = both(at_least(a, zero), at_least(x, zero));
  return f.kernel(call, when(is_valid, steps, f.result.set(float64(std::nan("")))),
                  {term.buffer(), sum.buffer(), n.buffer(), c.buffer(), d.buffer(), b.buffer()});
}

OpSample sample_zeta(Sampler& s) {
  Expr x = s.tensor({.values = s.chance(80) ? Values::Positive : Values::Any});
  return {{x, partner(s, x, Values::Positive)}};
}
OpSample sample_incomplete_gamma(Sampler& s) {
  Expr a = s.tensor({.values = Values::Positive});
  return {{a, partner(s, a, s.chance(70) ? Values::Positive : Values::Any)}};
}

}  // namespace

void register_incomplete_ops(OpTable& ops) {
  auto add = [&](const char* name, const char* summary, LowerFn lower, SampleFn sample) {
    ops.add({.name = name,
             .summary = summary,
             .params = {{"x1", "float tensor (C1)"}, {"x2", "float tensor; broadcast against x1 (C1, C2)"}},
             .constraints = {"C1: both have one float dtype", "C2: the shapes broadcast"},
             .infer = infer_pair,
             .lower = lower,
             .sample = sample});
  };
  add("zeta", "the sum of (x2 + k)^-x1 over all k >= 0; infinite for x1 = 1, NaN below", lower_zeta, sample_zeta);
  add("igamma", "the share of the gamma function of x1 that the integral up to x2 has", lower_incomplete_gamma<false>,
      sample_incomplete_gamma);
  add("igammac", "1 - igamma(x1, x2), exact where that is near to 0", lower_incomplete_gamma<true>,
      sample_incomplete_gamma);
}

}  // namespace sunmao
