// Counter-based random numbers: each element is a function of the seed and its own index, so that it does not depend on
// the number of threads.
#include <fmt/format.h>

#include <array>

#include "ops/ops.h"
#include "ops/samples/sampler.h"
#include "ops/statements.h"

namespace sunmao {
namespace {

const DType kWord = DType::uint(32);

// Threefry with two words and 20 rounds (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3").
// Counter and key are mixed by 32-bit additions, rotations and exclusive ors.
class Threefry {
 public:
  std::vector<Ref<Buffer>> locals() const {
    return {x_[0].buffer(), x_[1].buffer(), key_[0].buffer(), key_[1].buffer(), key_[2].buffer()};
  }
  Scalar word(size_t i) const { return x_[i].get(); }

  Stmt run(const Scalar& seed, const Scalar& place) const {
    constexpr std::array<int64_t, 8> kTurns{13, 15, 26, 6, 17, 29, 16, 24};
    constexpr int64_t kParity = 0x1BD11BDA;
    std::vector<Stmt> steps{key_[0].set(low(seed)), key_[1].set(high(seed)),
                            key_[2].set(joined(joined(key_[0].get(), key_[1].get()), word_of(kParity))),
                            x_[0].set(low(place) + key_[0].get()), x_[1].set(high(place) + key_[1].get())};
    for (size_t round = 0; round < 20; ++round) {
      steps.push_back(x_[0].set(x_[0].get() + x_[1].get()));
      steps.push_back(x_[1].set(joined(turned(x_[1].get(), kTurns[round % kTurns.size()]), x_[0].get())));
      if (round % 4 != 3) continue;
      const size_t injected = round / 4 + 1;
      steps.push_back(x_[0].set(x_[0].get() + key_[injected % 3].get()));
      steps.push_back(
          x_[1].set(x_[1].get() + key_[(injected + 1) % 3].get() + word_of(static_cast<int64_t>(injected))));
    }
    return in_order(std::move(steps));
  }

 private:
  static Scalar word_of(int64_t value) { return IntImm::make(kWord, value); }
  static Scalar joined(const Scalar& a, const Scalar& b) { return ScalarCall::make("bitwise_xor", kWord, {a, b}); }
  static Scalar low(const Scalar& x) { return Cast::make(kWord, x); }
  static Scalar high(const Scalar& x) {
    return Cast::make(kWord, ScalarCall::make("shift_right", x->dtype, {x, IntImm::make(x->dtype, 32)}));
  }
  static Scalar turned(const Scalar& x, int64_t bits) {
    Scalar left = ScalarCall::make("shift_left", kWord, {x, word_of(bits)});
    Scalar right = ScalarCall::make("shift_right", kWord, {x, word_of(32 - bits)});
    return ScalarCall::make("bitwise_or", kWord, {left, right});
  }

  const std::array<Cell, 2> x_{Cell("x0", kWord), Cell("x1", kWord)};
  const std::array<Cell, 3> key_{Cell("k0", kWord), Cell("k1", kWord), Cell("k2", kWord)};
};

Type infer_numbers(const InferInput& in, bool are_floats) {
  const TensorType& seed = in.tensor(0);
  need_dtype(in, seed.dtype.is_void() || seed.dtype == DType::int_(64), "seed", "int64", seed.dtype);  // C1
  need_rank(in, 0, 0);
  in.shape(1);  // C2
  const DType dtype = in.dtype_attr("dtype");
  if (are_floats ? !dtype.is_float() : !dtype.is_int() && !dtype.is_uint())  // C3
    in.error("E0306", fmt::format("`dtype` must be {}, got {}", are_floats ? "a float" : "an integer", dtype.str()));
  return shaped_by(in, 1, dtype, seed.vdevice);
}

Type infer_floats(const InferInput& in) { return infer_numbers(in, true); }

Type infer_integers(const InferInput& in) {
  const int64_t low = in.int_attr("low"), high = in.int_attr("high");
  if (high <= low) in.error("E0203", fmt::format("`high` is {}, `low` {}: there is nothing between", high, low));  // C4
  int64_t count = 0;
  if (__builtin_sub_overflow(high, low, &count)) in.error("E0203", "more than 2^63 - 1 integers lie between");  // C4
  return infer_numbers(in, false);
}

// Computes an element from two random words.
using RandomFn = Scalar (*)(const InferInput&, DType, const Threefry&);

template <RandomFn kElement>
Ref<BaseFunc> lower_random(const Call& call) {
  InferInput in = input_of(call);
  KernelBuilder k(in.op.name().substr(7));
  Ref<Buffer> seed = k.input("seed", call.args[0]->type), y = k.output("T_random", call.type);
  const Threefry words;
  k.steps({.name = "random",
           .spatial = y->shape,
           .reads = {seed},
           .writes = {y},
           .locals = words.locals(),
           .body = [&](const Indices& at) {
             Scalar place = int_imm(0);
             for (size_t i = 0; i < at.size(); ++i) place = place * y->shape[i] + at[i];
             return in_order({words.run(load(seed, {}), place), store(y, at, kElement(in, y->dtype, words))});
           }});
  return std::move(k).finish();
}

// Returns a number in [0, 1) of as many random bits as the significand of the dtype has (3 for 8-bit floats), so that
// rounding never yields 1; float64 takes them from both words, other dtypes from the first.
Scalar fraction(DType dtype, const Threefry& words) {
  const DType wide = accumulator(dtype);
  auto bits = [&](size_t word, int64_t count) {
    return Cast::make(wide,
                      ScalarCall::make("shift_right", kWord, {words.word(word), IntImm::make(kWord, 32 - count)}));
  };
  if (dtype.bits == 64) return bits(0, 32) * constant(wide, 0x1p-32) + bits(1, 21) * constant(wide, 0x1p-53);
  const int64_t digits = dtype == DType::float_(32) ? 24 : dtype == DType::float_(16) ? 11 : dtype.bits == 16 ? 8 : 3;
  return bits(0, digits) * constant(wide, 1.0 / static_cast<double>(int64_t{1} << digits));
}

Scalar uniform(const InferInput& in, DType dtype, const Threefry& words) {
  const DType wide = accumulator(dtype);
  const double low = in.float_attr("low"), high = in.float_attr("high");
  Scalar value = constant(wide, low) + fraction(dtype, words) * constant(wide, high - low);
  return Select::make(less(value, constant(wide, high)), value, constant(wide, low));  // rounding may give `high`
}

// Box-Muller transform: the radius comes from one word plus 0.5, so that its logarithm is finite, the angle from the
// other.
Scalar normal(const InferInput& in, DType dtype, const Threefry& words) {
  constexpr double kTurn = 6.283185307179586;
  const DType wide = accumulator(dtype);
  auto share = [&](size_t word, double more) {
    return (Cast::make(wide, words.word(word)) + constant(wide, more)) * constant(wide, 0x1p-32);
  };
  Scalar length = intrinsic("sqrt", constant(wide, -2) * intrinsic("log", share(0, 0.5)));
  Scalar unit = length * intrinsic("cos", constant(wide, kTurn) * share(1, 0));
  return constant(wide, in.float_attr("mean")) + unit * constant(wide, in.float_attr("std"));
}

// Returns the lower bound plus 63 random bits modulo the size of the range.
Scalar integer(const InferInput& in, DType, const Threefry& words) {
  const DType wide = DType::int_(64);
  Scalar top = ScalarCall::make("bitwise_and", kWord, {words.word(0), IntImm::make(kWord, 0x7FFFFFFF)});
  Scalar bits = Cast::make(wide, top) * IntImm::make(wide, int64_t{1} << 32) + Cast::make(wide, words.word(1));
  const int64_t low = in.int_attr("low"), high = in.int_attr("high");
  return int_imm(low) + Binary::make(BinaryOp::TruncMod, bits, int_imm(high - low));
}

template <bool kIntegers>
OpSample sample_random(Sampler& s) {
  Expr seed = s.tensor({.dims = Dims(), .dtype = DType::int_(64), .values = Values::Index, .limit = 1 << 20});
  OpSample out{{seed, ShapeExpr::make(s.dims(0, 3, Sizes::Whole))}};
  if (!kIntegers) {
    out.attrs["dtype"] = s.dtype(TensorWish::Kind::Float);
    return out;
  }
  out.attrs["low"] = s.between(-100, 0);
  out.attrs["high"] = s.between(1, 100);
  return out;
}

OpInfo random_op(const char* name, const char* summary, std::vector<OpParam> attrs, const char* dtype, InferFn infer,
                 LowerFn lower, SampleFn sample) {
  std::vector<OpParam> params{{"seed", "int64 tensor of rank 0: another seed gives other numbers (C1)"},
                              {"shape", "shape (C2)", ParamKind::Shape}};
  for (OpParam& p : attrs) params.push_back(std::move(p));
  params.push_back(dtype_param("dtype", "the dtype of the numbers (C3)", dtype));
  return {.name = name,
          .summary = summary,
          .params = std::move(params),
          .constraints = {"C1: the seed is one int64", "C2: the second argument is a shape",
                          "C3: the dtype is a float; of random.integers an integer"},
          .infer = infer,
          .lower = lower,
          .sample = sample};
}

}  // namespace

void register_random_ops(OpTable& ops) {
  ops.add(random_op("random.uniform", "Numbers in [low, high), each as likely as any other.",
                    {float_param("low", "the least number", 0.0), float_param("high", "above all numbers", 1.0)},
                    "float32", infer_floats, lower_random<uniform>, sample_random<false>));
  ops.add(random_op("random.normal", "Numbers of a normal distribution.",
                    {float_param("mean", "their mean", 0.0), float_param("std", "their standard deviation", 1.0)},
                    "float32", infer_floats, lower_random<normal>, sample_random<false>));
  OpInfo integers = random_op("random.integers", "Integers in [low, high), each as likely as any other.",
                              {int_param("low", "the least integer (C4)"), int_param("high", "above all (C4)")},
                              "int64", infer_integers, lower_random<integer>, sample_random<true>);
  integers.constraints.emplace_back("C4: high is above low, by less than 2^63");
  ops.add(std::move(integers));
}

}  // namespace sunmao
