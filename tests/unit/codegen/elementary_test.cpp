// Compiled elementary functions (log, tanh, sin, pow, …) compared with the C library on numbers of many magnitudes and
// on special values. Each function has its own error bound in ulps; sin, cos and tan are sampled up to 1e5 only.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "tests/unit/codegen/run_kernel.h"

namespace sunmao::testing {
namespace {

template <class T>
std::vector<T> apply(const std::string& name, std::vector<T> a, std::vector<T> b) {
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
  Program program(lower_kernel(std::move(k).finish(), Target::host()));
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

struct Unary {
  const char* name;
  double (*reference)(double);
  double largest, float_ulps, double_ulps;
};

template <class T>
void check(const Unary& f) {
  const std::vector<T> in = numbers<T>(std::min<double>(f.largest, std::numeric_limits<T>::max() / 4));
  const std::vector<T> out = apply<T>(f.name, in, {});
  for (size_t i = 0; i < in.size(); ++i)
    expect_close<T>([&] { return fmt::format("{} of {}", f.name, in[i]); }, out[i], f.reference(in[i]),
                    sizeof(T) == 4 ? f.float_ulps : f.double_ulps);
}

TEST(Elementary, FunctionsOfOneNumber) {
  const std::vector<Unary> functions{{"log", std::log, 1e300, 2, 2},
                                     {"log1p", std::log1p, 1e300, 3, 3},
                                     {"log2", std::log2, 1e300, 1, 3},
                                     {"log10", std::log10, 1e300, 1, 3},
                                     {"exp2", std::exp2, 1e300, 1, 2},
                                     {"tanh", std::tanh, 1e300, 4, 4},
                                     {"sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); }, 1e300, 4, 4},
                                     {"erf", std::erf, 1e300, 6, 64},
                                     {"sin", std::sin, 1e5, 1, 4},
                                     {"cos", std::cos, 1e5, 1, 4},
                                     {"tan", std::tan, 1e5, 1, 8},
                                     {"sinh", std::sinh, 1e300, 1, 8},
                                     {"cosh", std::cosh, 1e300, 1, 8},
                                     {"asin", std::asin, 1e300, 1, 4},
                                     {"acos", std::acos, 1e300, 1, 4},
                                     {"atan", std::atan, 1e300, 1, 3},
                                     {"asinh", std::asinh, 1e300, 1, 5},
                                     {"acosh", std::acosh, 1e300, 1, 5},
                                     {"atanh", std::atanh, 1e300, 1, 5}};
  for (const Unary& f : functions) {
    check<float>(f);
    check<double>(f);
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
  check<double>("pow", std::pow, 2000);  // the error of the logarithm is multiplied by the exponent
  check<float>("atan2", std::atan2, 1);
  check<double>("atan2", std::atan2, 3);
  check<float>("hypot", std::hypot, 1, 1e300);
  check<double>("hypot", std::hypot, 3, 1e300);
  check<float>("copysign", std::copysign, 0);
  check<double>("copysign", std::copysign, 0);
  if (!Target::host().has("fma")) return;
  check<float>("fmod", std::fmod, 0);
  check<double>("fmod", std::fmod, 0);
}

}  // namespace
}  // namespace sunmao::testing
