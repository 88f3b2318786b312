// Compiled elementary functions (log, tanh, sin, pow, …) compared with the C library on numbers of many magnitudes and
// on special values. Each function has its own error bound; sin, cos and tan of float64 are sampled
// up to the limit of theirs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "loop/intrinsics/table.h"
#include "tests/unit/codegen/run_kernel.h"

namespace sunmao::testing {
namespace {

template <class T>
std::vector<T> apply(const std::string& name, std::vector<T> a, std::vector<T> b,
                     const Target& target = Target::host()) {
  const DType dtype = DType::float_(sizeof(T) * 8);
  const auto count = static_cast<int64_t>(a.size());
  const bool is_binary = !b.empty();
  if (!is_binary) b = a;
  KernelBuilder k("f");
  Ref<Buffer> x = k.input("a", tensor({count}, dtype)), y = k.input("b", tensor({count}, dtype));
  Ref<Buffer> out = k.output("out", tensor({count}, dtype));
  k.compute(out, "f", [&](const Indices& i) {
    std::vector<Scalar> args{load(x, i)};
    if (is_binary) args.push_back(load(y, i));
    return ScalarCall::make(name, dtype, std::move(args));
  });
  Program program(lower_kernel(std::move(k).finish(), target), target);
  std::vector<T> result(a.size());
  EXPECT_EQ(program({a.data(), b.data(), result.data()}), 0);
  return result;
}

// Returns numbers of all magnitudes and both signs, and special values.
template <class T>
std::vector<T> numbers(double largest) {
  std::vector<T> out{0,
                     T(-0.0),
                     1,
                     -1,
                     T(0.5),
                     T(-0.5),
                     2,
                     std::numeric_limits<T>::denorm_min(),
                     std::numeric_limits<T>::min(),
                     std::numeric_limits<T>::infinity(),
                     -std::numeric_limits<T>::infinity(),
                     std::numeric_limits<T>::quiet_NaN()};
  std::mt19937_64 random(7);
  for (double size = 1e-30; size <= largest; size *= 1.7)
    for (int i = 0; i < 4; ++i) {
      const double v = size * (1 + static_cast<double>(random() % 1000) / 1000);
      if (v <= largest) out.insert(out.end(), {static_cast<T>(v), static_cast<T>(-v)});
    }
  return out;
}

// `what` is called for the message of a failure only: there are hundreds of thousands of results.
template <class T, class What>
void expect_close(const What& what, T got, double want, double ulps) {
  const T rounded = static_cast<T>(want);
  if (std::isnan(rounded)) {
    EXPECT_TRUE(std::isnan(got)) << what() << " gives " << got;
  } else if (std::isinf(rounded) || rounded == 0) {
    // At either end of the range results may differ by one rounding, to zero or infinity.
    const double edge = rounded == 0 ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max() * 0.999;
    EXPECT_TRUE(got == rounded || (rounded == 0 ? std::abs(got) <= edge : std::abs(got) >= edge))
        << what() << " gives " << got;
    EXPECT_EQ(std::signbit(got), std::signbit(rounded)) << what();
  } else {
    const double unit =
        std::max(std::abs(want) * std::numeric_limits<T>::epsilon(), double{std::numeric_limits<T>::min()});
    EXPECT_LE(std::abs(static_cast<double>(got) - want), ulps * unit) << what() << " gives " << got << ", not " << want;
  }
}

// Bounds of float32 in units of the result times epsilon; those of float64 are the table's.
struct Unary {
  const char* name;
  double float_ulps;
};

template <class T>
void check(const Unary& f) {
  const Intrinsic& known = *find_intrinsic(f.name);
  const double limit = sizeof(T) == 4 ? std::numeric_limits<T>::max() / 4 : 1e300;
  const std::vector<T> in = numbers<T>(limit), out = apply<T>(f.name, in, {});
  for (size_t i = 0; i < in.size(); ++i) {
    const double x = in[i];
    expect_close<T>([&] { return fmt::format("{} of {}", f.name, in[i]); }, out[i], known.of_floats(&x),
                    sizeof(T) == 4 ? f.float_ulps : known.bound.float64);
  }
}

TEST(Elementary, FunctionsOfOneNumber) {
  const std::vector<Unary> functions{{"exp", 2},   {"log", 2},   {"log1p", 3},   {"log2", 1}, {"log10", 1}, {"exp2", 1},
                                     {"exp10", 1}, {"tanh", 4},  {"sigmoid", 4}, {"erf", 6},  {"sin", 1},   {"cos", 1},
                                     {"tan", 1},   {"sinh", 1},  {"cosh", 1},    {"asin", 1}, {"acos", 1},  {"atan", 1},
                                     {"asinh", 1}, {"acosh", 1}, {"atanh", 1},   {"rsqrt", 2}};
  for (const Unary& f : functions) {
    check<float>(f);
    check<double>(f);
  }
}

// Beyond numbers whose tanh rounds to 1 it is 1, and nowhere more.
TEST(Elementary, TanhAndSigmoidEndAtTheirLimits) {
  std::vector<float> x{1e3F, std::numeric_limits<float>::max(), std::numeric_limits<float>::infinity()};
  for (float v = 9.1F; v < 100; v += 0.003F) x.push_back(v);
  const size_t large = x.size();
  for (float v = 7; v < 9.1F; v += 0.0001F) x.push_back(v);
  for (size_t i = 0, count = x.size(); i < count; ++i) x.push_back(-x[i]);
  for (const char* isa : {"x86-64-v2", "x86-64-v3", "x86-64-v4"}) {
    const Target target = Target::parse(isa);
    if (!target.isa.runs_here()) continue;
    const std::vector<float> t = apply<float>("tanh", x, {}, target), s = apply<float>("sigmoid", x, {}, target);
    for (size_t i = 0; i < x.size(); ++i) {
      EXPECT_LE(std::abs(t[i]), 1) << x[i];
      EXPECT_EQ(std::signbit(t[i]), std::signbit(x[i])) << x[i];
      EXPECT_TRUE(i >= large || t[i] == 1) << x[i];
      EXPECT_TRUE(std::abs(x[i]) < 90 || s[i] == (x[i] > 0 ? 1 : 0)) << x[i];
    }
  }
}

template <class T>
void check(const char* name, double (*reference)(double, double), double ulps, double largest = 1e9) {
  std::vector<T> a, b;
  const std::vector<T> all = numbers<T>(std::min<double>(largest, std::numeric_limits<T>::max() / 4));
  const size_t step = std::max<size_t>(7, all.size() * all.size() / 400000);  // bounds the number of pairs
  for (size_t i = 0; i < all.size(); ++i)
    for (size_t k = 0; k < all.size(); k += step) {
      a.push_back(all[i]);
      b.push_back(all[(i + k) % all.size()]);
    }
  const std::vector<T> out = apply<T>(name, a, b);
  for (size_t i = 0; i < a.size(); ++i)
    expect_close<T>([&] { return fmt::format("{} of {}, {}", name, a[i], b[i]); }, out[i], reference(a[i], b[i]), ulps);
}

TEST(Elementary, FunctionsOfTwoNumbers) {
  check<float>("pow", std::pow, 1);
  check<double>("pow", std::pow, 2000);
  check<float>("atan2", std::atan2, 1);
  check<double>("atan2", std::atan2, 3);
  check<float>("hypot", std::hypot, 1, 1e300);
  check<double>("hypot", std::hypot, 3, 1e300);
  check<float>("copysign", std::copysign, 0);
  check<double>("copysign", std::copysign, 0);
  check<float>("fmod", std::fmod, 0);
  check<double>("fmod", std::fmod, 0);
}

// Remainders are exact, also where no instruction rounds a product and a sum once.
TEST(Elementary, RemaindersAreExactOnEveryLevel) {
  std::mt19937_64 random(3);
  std::vector<double> a, b;
  for (int i = 0; i < 20000; ++i) {
    const auto any = [&](int exponents) {
      const double fraction = 1 + static_cast<double>(random() >> 12) * 0x1p-52;
      return std::ldexp(fraction, static_cast<int>(random() % static_cast<uint64_t>(exponents)) - exponents / 2);
    };
    a.push_back(any(i % 3 == 0 ? 2000 : 60) * (i % 2 ? 1 : -1));
    b.push_back(any(i % 3 == 1 ? 2000 : 60));
  }
  a.insert(a.end(), {0x1.fffffffffffffp1, 0x1.fffffffffffffp1023, 5e-324, 0x1p-1022, 3});
  b.insert(b.end(), {0x1.0000000000001p1, 5e-324, 0x1p-1022, 5e-324, 0x1.fffffffffffffp-1});
  for (const char* level : {"x86-64-v2", "x86-64-v3"}) {
    const Target target = Target::parse(level);
    if (!target.isa.runs_here()) continue;
    const std::vector<double> out = apply<double>("fmod", a, b, target);
    for (size_t i = 0; i < a.size(); ++i)
      ASSERT_EQ(out[i], std::fmod(a[i], b[i])) << level << ": " << a[i] << " by " << b[i];
  }
}

}  // namespace
}  // namespace sunmao::testing
