// Results of operators and casts on every type that kernels support.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "sym/fold.h"
#include "tests/unit/codegen/run_kernel.h"

namespace sunmao::testing {
namespace {

/// Returns the compiled kernel out[i] = f(a[i], b[i]).
Program binary_program(DType dtype, DType result, int64_t count,
                       const std::function<Scalar(const Scalar&, const Scalar&)>& f) {
  KernelBuilder k("f");
  Ref<Buffer> a = k.input("a", tensor({count}, dtype)), b = k.input("b", tensor({count}, dtype));
  Ref<Buffer> out = k.output("out", tensor({count}, result));
  k.compute(out, "f", [&](const Indices& i) { return f(load(a, i), load(b, i)); });
  return Program(lower_kernel(std::move(k).finish(), Target::host()));
}

TEST(Arithmetic, integer_division_rounds_as_its_name_says) {
  std::vector<int32_t> a, b;
  for (int x : {-7, -6, -1, 0, 1, 6, 7})
    for (int y : {-4, -3, -1, 1, 3, 4}) a.push_back(x), b.push_back(y);
  const auto count = static_cast<int64_t>(a.size());
  const DType i32 = DType::int_(32);
  for (BinaryOp op : {BinaryOp::FloorDiv, BinaryOp::FloorMod, BinaryOp::Div, BinaryOp::TruncMod}) {
    std::vector<int32_t> out(a.size());
    const Program program =
        binary_program(i32, i32, count, [&](const Scalar& x, const Scalar& y) { return Binary::make(op, x, y); });
    ASSERT_EQ(program({a.data(), b.data(), out.data()}), 0);
    for (size_t i = 0; i < a.size(); ++i)
      EXPECT_EQ(out[i], *evaluate(op, a[i], b[i])) << name_of(op) << " " << a[i] << " " << b[i];
  }
}

TEST(Arithmetic, division_by_constants_and_powers_of_two) {
  std::vector<int64_t> a{-9, -8, -7, -1, 0, 1, 7, 8, 9}, out(a.size());
  for (int64_t divisor : {8, 3, -3, -8})
    for (BinaryOp op : {BinaryOp::FloorDiv, BinaryOp::FloorMod, BinaryOp::Div, BinaryOp::TruncMod}) {
      const Program program = binary_program(DType::int_(64), DType::int_(64), 9, [&](const Scalar& x, const Scalar&) {
        return Binary::make(op, x, int_imm(divisor));
      });
      ASSERT_EQ(program({a.data(), a.data(), out.data()}), 0);
      for (size_t i = 0; i < a.size(); ++i)
        EXPECT_EQ(out[i], *evaluate(op, a[i], divisor)) << name_of(op) << " " << a[i] << " " << divisor;
    }
}

TEST(Arithmetic, division_never_traps) {
  std::vector<int32_t> a{5, std::numeric_limits<int32_t>::min(), -5}, b{0, -1, 0}, out(3, 99);
  for (BinaryOp op : {BinaryOp::FloorDiv, BinaryOp::FloorMod, BinaryOp::Div, BinaryOp::TruncMod}) {
    const Program program = binary_program(DType::int_(32), DType::int_(32), 3,
                                           [&](const Scalar& x, const Scalar& y) { return Binary::make(op, x, y); });
    ASSERT_EQ(program({a.data(), b.data(), out.data()}), 0);
    EXPECT_EQ(out[0], 0);
    EXPECT_EQ(out[2], 0);
  }
}

TEST(Arithmetic, extremes_keep_nan) {
  const float nan = std::nanf("");
  std::vector<float> a{1, nan, 2, -3}, b{2, 1, nan, -4}, out(4);
  const DType f32 = DType::float_(32);
  ASSERT_EQ(binary_program(f32, f32, 4, [](const Scalar& x, const Scalar& y) { return max(x, y); })(
                {a.data(), b.data(), out.data()}),
            0);
  EXPECT_EQ(out[0], 2);
  EXPECT_TRUE(std::isnan(out[1]));
  EXPECT_TRUE(std::isnan(out[2]));
  EXPECT_EQ(out[3], -3);
  ASSERT_EQ(
      binary_program(f32, f32, 4, [](const Scalar& x, const Scalar&) { return max(x, FloatImm::make(x->dtype, 0)); })(
          {a.data(), b.data(), out.data()}),
      0);
  EXPECT_TRUE(std::isnan(out[1]));
  EXPECT_EQ(out[3], 0);
}

template <class T>
void check_copy(DType dtype, const std::vector<T>& values) {
  std::vector<T> out(values.size());
  std::vector<T> in = values;
  const Program program =
      binary_program(dtype, dtype, static_cast<int64_t>(in.size()), [&](const Scalar& x, const Scalar& y) {
        return dtype.is_bool() ? Binary::make(BinaryOp::And, x, y) : max(x, y);
      });
  ASSERT_EQ(program({in.data(), in.data(), out.data()}), 0);
  EXPECT_EQ(out, values) << dtype.str();
}

TEST(Arithmetic, every_type_loads_and_stores) {
  check_copy<int8_t>(DType::int_(8), {-128, -1, 0, 5, 127});
  check_copy<int16_t>(DType::int_(16), {-32768, -1, 0, 5, 32767});
  check_copy<int32_t>(DType::int_(32), {-2147483647, -1, 0, 5, 7});
  check_copy<int64_t>(DType::int_(64), {-(int64_t{1} << 60), -1, 0, 5, 7});
  check_copy<uint8_t>(DType::uint(8), {0, 1, 128, 200, 255});
  check_copy<uint16_t>(DType::uint(16), {0, 1, 40000, 65535, 3});
  check_copy<uint32_t>(DType::uint(32), {0, 1, 4000000000u, 5, 6});
  check_copy<uint64_t>(DType::uint(64), {0, 1, ~uint64_t{0}, 5, 6});
  check_copy<uint8_t>(DType::bool_(), {0, 1, 1, 0, 1, 1, 0});
  check_copy<float>(DType::float_(32), {0, -1.5f, 3e38f, 1e-40f, 7});
  check_copy<double>(DType::float_(64), {0, -1.5, 3e300, 1e-310, 7});
}

TEST(Arithmetic, every_type_is_stored_over_odd_sizes) {
  for (int64_t count : {1, 15, 16, 17, 63, 100}) {
    std::vector<uint8_t> a(static_cast<size_t>(count)), b(a.size()), out(a.size() + 1, 99);
    for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<uint8_t>(7 * i), b[i] = 250;
    const Program program =
        binary_program(DType::uint(8), DType::uint(8), count, [](const Scalar& x, const Scalar& y) { return x + y; });
    ASSERT_EQ(program({a.data(), b.data(), out.data()}), 0);
    for (size_t i = 0; i < a.size(); ++i) EXPECT_EQ(out[i], static_cast<uint8_t>(a[i] + 250));
    EXPECT_EQ(out[a.size()], 99);
  }
}

TEST(Arithmetic, narrow_floats_are_rounded_to_nearest_even) {
  const Target host = Target::host();
  if (!host.isa.has_feature("f16c")) GTEST_SKIP() << "not run: this machine has no f16c";
  // 1 + 2^-8 is halfway between bfloat16 1 and 1 + 2^-7 and rounds to even, down; 1 + 3 * 2^-8 rounds up.
  std::vector<float> in{1.0f, 1.00390625f, 1.01171875f, -2.5f, std::nanf(""), 1e-3f};
  std::vector<uint16_t> out(in.size());
  for (const DType type : {*DType::parse("bfloat16"), DType::float_(16)}) {
    KernelBuilder k("f");
    Ref<Buffer> a = k.input("a", tensor({6})), o = k.output("out", tensor({6}, type));
    k.compute(o, "cast", [&](const Indices& i) { return Cast::make(type, load(a, i)); });
    ASSERT_EQ(Program(lower_kernel(std::move(k).finish(), host), host)({in.data(), out.data()}), 0);
    if (type.code == TypeCode::BFloat) {
      EXPECT_EQ(out[0], 0x3f80);
      EXPECT_EQ(out[1], 0x3f80);
      EXPECT_EQ(out[2], 0x3f82);
      EXPECT_EQ(out[3], 0xc020);
      EXPECT_GT(out[4] & 0x7fff, 0x7f80);
    } else {
      EXPECT_EQ(out[0], 0x3c00);
      EXPECT_EQ(out[1], 0x3c04);
      EXPECT_EQ(out[3], 0xc100);
      EXPECT_GT(out[4] & 0x7fff, 0x7c00);
    }
    KernelBuilder back("g");
    Ref<Buffer> n = back.input("n", tensor({6}, type)), f = back.output("f", tensor({6}));
    back.compute(f, "cast", [&](const Indices& i) { return Cast::make(DType::float_(32), load(n, i)); });
    std::vector<float> again(6);
    ASSERT_EQ(Program(lower_kernel(std::move(back).finish(), host), host)({out.data(), again.data()}), 0);
    EXPECT_NEAR(again[5], 1e-3f, 1e-5f);
    EXPECT_EQ(again[3], -2.5f);
  }
}

TEST(Arithmetic, exp_is_close_over_its_whole_range) {
  std::vector<float> in;
  for (float x = -110; x < 95; x += 0.37f) in.push_back(x);
  in.insert(in.end(), {0.0f, -0.0f, INFINITY, -INFINITY, std::nanf(""), 88.72f, -87.33f, -103.0f});
  const auto count = static_cast<int64_t>(in.size());
  std::vector<float> out(in.size());
  const DType f32 = DType::float_(32);
  ASSERT_EQ(binary_program(f32, f32, count, [](const Scalar& x, const Scalar&) { return intrinsic("exp", x); })(
                {in.data(), in.data(), out.data()}),
            0);
  for (size_t i = 0; i < in.size(); ++i) {
    const double want = std::exp(double{in[i]});
    if (std::isnan(in[i]))
      EXPECT_TRUE(std::isnan(out[i]));
    else if (want > 3.4028236e38)
      EXPECT_TRUE(std::isinf(out[i])) << in[i];
    else
      EXPECT_NEAR(double{out[i]}, want, want * 2e-7 + 2e-45) << in[i];
  }
}

TEST(Arithmetic, exp_of_doubles) {
  std::vector<double> in{-750, -745, -1, -1e-9, 0, 0.5, 1, 10, 709.7, 711}, out(in.size());
  const DType f64 = DType::float_(64);
  ASSERT_EQ(binary_program(f64, f64, 10, [](const Scalar& x, const Scalar&) { return intrinsic("exp", x); })(
                {in.data(), in.data(), out.data()}),
            0);
  for (size_t i = 0; i < in.size(); ++i) {
    if (std::isinf(std::exp(in[i])))
      EXPECT_TRUE(std::isinf(out[i]));
    else
      EXPECT_NEAR(out[i], std::exp(in[i]), std::exp(in[i]) * 5e-16 + 5e-324) << in[i];
  }
}

TEST(Arithmetic, intrinsics) {
  std::vector<float> in{0.25f, 4.0f, 9.0f, 2.5f}, out(4);
  const DType f32 = DType::float_(32);
  auto run = [&](const std::function<Scalar(const Scalar&, const Scalar&)>& f) {
    EXPECT_EQ(binary_program(f32, f32, 4, f)({in.data(), in.data(), out.data()}), 0);
  };
  run([](const Scalar& x, const Scalar&) { return intrinsic("sqrt", x); });
  EXPECT_EQ(out[2], 3);
  run([](const Scalar& x, const Scalar&) { return intrinsic("rsqrt", x); });
  EXPECT_EQ(out[1], 0.5f);
  run([](const Scalar& x, const Scalar&) { return intrinsic("abs", FloatImm::make(x->dtype, 1) - x); });
  EXPECT_EQ(out[2], 8);
  run([](const Scalar& x, const Scalar& y) { return ScalarCall::make("fma", x->dtype, {x, y, x}); });
  EXPECT_EQ(out[1], 20);
  run([](const Scalar& x, const Scalar& y) {
    return ScalarCall::make(
        "if_then_else", x->dtype,
        {Binary::make(BinaryOp::Gt, x, FloatImm::make(x->dtype, 3)), y, FloatImm::make(x->dtype, -1)});
  });
  EXPECT_EQ(out, (std::vector<float>{-1, 4, 9, -1}));
}

TEST(Arithmetic, casts_between_numbers) {
  std::vector<float> in{-1.9f, 0.0f, 2.9f, 200.0f};
  auto cast_to = [&]<class T>(DType type, std::vector<T> want) {
    KernelBuilder k("f");
    Ref<Buffer> a = k.input("a", tensor({4})), o = k.output("out", tensor({4}, type));
    k.compute(o, "cast", [&](const Indices& i) { return Cast::make(type, load(a, i)); });
    std::vector<T> out(4);
    ASSERT_EQ(Program(lower_kernel(std::move(k).finish(), Target::host()))({in.data(), out.data()}), 0);
    EXPECT_EQ(out, want) << type.str();
  };
  cast_to(DType::int_(32), std::vector<int32_t>{-1, 0, 2, 200});
  cast_to(DType::int_(64), std::vector<int64_t>{-1, 0, 2, 200});
  cast_to(DType::uint(8), std::vector<uint8_t>{255, 0, 2, 200});
  cast_to(DType::bool_(), std::vector<uint8_t>{1, 0, 1, 1});
  cast_to(DType::float_(64), std::vector<double>{double{-1.9f}, 0, double{2.9f}, 200});
}

}  // namespace
}  // namespace sunmao::testing
