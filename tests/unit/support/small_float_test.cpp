// Small floats: decoding of every code and rounding of many floats, compared with the definitions of the formats.
#include "support/small_float.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace sunmao::testing {
namespace {

DType dtype(const char* name) { return *DType::parse(name); }

/// Properties of a format, from the OCP specification or the paper that defines it.
struct Kind {
  const char* name;
  double largest, smallest_normal, smallest;
  bool has_infinity, has_nan, saturates, has_negative_zero;
};
const std::vector<Kind> kKinds{
    {"float8_e3m4", 15.5, 0.25, 0.015625, true, true, false, true},
    {"float8_e4m3", 240, 0x1p-6, 0x1p-9, true, true, false, true},
    {"float8_e4m3b11fnuz", 30, 0x1p-10, 0x1p-13, false, true, false, false},
    {"float8_e4m3fn", 448, 0x1p-6, 0x1p-9, false, true, true, true},
    {"float8_e4m3fnuz", 240, 0x1p-7, 0x1p-10, false, true, false, false},
    {"float8_e5m2", 57344, 0x1p-14, 0x1p-16, true, true, false, true},
    {"float8_e5m2fnuz", 57344, 0x1p-15, 0x1p-17, false, true, false, false},
    {"float6_e2m3fn", 7.5, 1, 0.125, false, false, true, true},
    {"float6_e3m2fn", 28, 0.25, 0.0625, false, false, true, true},
    {"float4_e2m1fn", 6, 1, 0.5, false, false, true, true},
};

/// Returns the non-negative numbers of a format by value, with their codes.
std::map<double, int> numbers_of(const Kind& kind) {
  std::map<double, int> numbers;
  const DType type = dtype(kind.name);
  for (int code = 0; code < 1 << (type.bits - 1); ++code)
    if (const float value = from_small_float(type, static_cast<uint8_t>(code)); std::isfinite(value))
      numbers[double{value}] = code;
  return numbers;
}

TEST(SmallFloat, kinds_have_the_numbers_that_they_define) {
  for (const Kind& kind : kKinds) {
    const std::map<double, int> numbers = numbers_of(kind);
    EXPECT_EQ(numbers.rbegin()->first, kind.largest) << kind.name;
    EXPECT_EQ(double{largest_small_float(dtype(kind.name))}, kind.largest) << kind.name;
    EXPECT_EQ(std::next(numbers.begin())->first, kind.smallest) << kind.name;
    // The spacing is constant below twice the smallest normal number, where it doubles, as at every later power of two.
    double step = kind.smallest;
    for (auto at = numbers.begin(); std::next(at) != numbers.end(); ++at) {
      if (at->first >= 2 * kind.smallest_normal && std::exp2(std::floor(std::log2(at->first))) == at->first) step *= 2;
      EXPECT_EQ(std::next(at)->first - at->first, step) << kind.name << " " << at->first;
      EXPECT_EQ(std::next(at)->second, at->second + 1) << kind.name;
    }
  }
}

TEST(SmallFloat, every_code_is_what_its_number_becomes) {
  for (const Kind& kind : kKinds) {
    const DType type = dtype(kind.name);
    int infinities = 0, nans = 0;
    for (int code = 0; code < 1 << type.bits; ++code) {
      const float value = from_small_float(type, static_cast<uint8_t>(code));
      infinities += std::isinf(value);
      nans += std::isnan(value);
      const uint8_t back = to_small_float(type, value);
      if (std::isnan(value))
        EXPECT_TRUE(std::isnan(from_small_float(type, back))) << kind.name;
      else
        EXPECT_EQ(back, code) << kind.name;
    }
    EXPECT_EQ(infinities, kind.has_infinity ? 2 : 0) << kind.name;
    EXPECT_EQ(nans > 0, kind.has_nan) << kind.name;
  }
}

TEST(SmallFloat, floats_become_the_nearest_number_and_ties_the_even_one) {
  for (const Kind& kind : kKinds) {
    const DType type = dtype(kind.name);
    const std::map<double, int> numbers = numbers_of(kind);
    const int last = numbers.rbegin()->second;
    const double top_step = kind.largest - std::prev(numbers.end(), 2)->first;
    auto expected = [&](double value) {  // for a non-negative number
      auto above = numbers.lower_bound(value);
      if (above != numbers.end() && above->first == value) return above->second;
      if (above == numbers.end())  // halfway to the number that would come next
        return value < kind.largest + top_step / 2 || (value == kind.largest + top_step / 2 && last % 2 == 0)
                   ? last
                   : last + 1;
      const auto below = std::prev(above);
      const double low = value - below->first, high = above->first - value;
      return low < high || (low == high && below->second % 2 == 0) ? below->second : above->second;
    };
    for (uint32_t upper = 0; upper < 0x7f80; ++upper)
      for (uint32_t lower : {0x0000u, 0x0001u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu}) {
        const float value = std::bit_cast<float>(upper << 16 | lower);
        const int code = expected(double{value});
        const float got = from_small_float(type, to_small_float(type, value));
        const float negative = from_small_float(type, to_small_float(type, -value));
        if (code <= last) {
          ASSERT_EQ(to_small_float(type, value), code) << kind.name << " " << value;
          ASSERT_EQ(negative, -got) << kind.name << " " << value;
          ASSERT_EQ(std::signbit(negative), got != 0 || kind.has_negative_zero) << kind.name << " " << value;
        } else if (kind.saturates) {
          ASSERT_EQ(double{got}, kind.largest) << kind.name << " " << value;
          ASSERT_EQ(negative, -got) << kind.name << " " << value;
        } else {
          ASSERT_TRUE(kind.has_infinity ? std::isinf(got) : std::isnan(got)) << kind.name << " " << value;
        }
      }
  }
}

TEST(SmallFloat, infinity_and_nan) {
  const float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  auto code = [](const char* name, float value) { return int{to_small_float(dtype(name), value)}; };
  EXPECT_EQ(code("float8_e5m2", infinity), 0x7c);
  EXPECT_EQ(code("float8_e5m2", -infinity), 0xfc);
  EXPECT_EQ(code("float8_e4m3fn", infinity), 0x7e);
  EXPECT_EQ(code("float8_e4m3fnuz", -infinity), 0x80);
  EXPECT_EQ(code("float4_e2m1fn", -infinity), 0xf);
  EXPECT_EQ(code("float8_e4m3fn", nan), 0x7f);
  EXPECT_EQ(code("float8_e4m3fn", -nan), 0xff);
  EXPECT_EQ(code("float8_e5m2fnuz", -nan), 0x80);
  EXPECT_EQ(code("float6_e2m3fn", -nan), 0);
}

TEST(SmallFloat, powers_of_two) {
  const DType scale = dtype("float8_e8m0fnu");
  for (int code = 0; code < 255; ++code) {
    EXPECT_EQ(from_small_float(scale, static_cast<uint8_t>(code)), std::ldexp(1.0F, code - 127));
    EXPECT_EQ(to_small_float(scale, std::ldexp(-1.0F, code - 127)), code);
  }
  EXPECT_TRUE(std::isnan(from_small_float(scale, 255)));
  EXPECT_EQ(largest_small_float(scale), 0x1p127F);
  EXPECT_EQ(to_small_float(scale, std::numeric_limits<float>::infinity()), 255);
  EXPECT_EQ(to_small_float(scale, std::numeric_limits<float>::quiet_NaN()), 255);
  EXPECT_EQ(to_small_float(scale, 0), 0);
  EXPECT_EQ(to_small_float(scale, 1.4999F), 127);
  EXPECT_EQ(to_small_float(scale, 1.5F), 128);
  EXPECT_EQ(to_small_float(scale, 0x1.8p127F), 255);
}

TEST(SmallFloat, bits_beyond_the_width_do_not_count) {
  EXPECT_EQ(from_small_float(dtype("float4_e2m1fn"), 0xf7), 6);
  EXPECT_EQ(from_small_float(dtype("float6_e3m2fn"), 0xdf), 28);
}

TEST(SmallFloat, is_one_of_their_kinds) {
  EXPECT_TRUE(is_small_float(dtype("float8_e8m0fnu")));
  EXPECT_TRUE(is_small_float(dtype("float4_e2m1fn")));
  EXPECT_FALSE(is_small_float(dtype("float16")));
  EXPECT_FALSE(is_small_float(dtype("uint8")));
}

}  // namespace
}  // namespace sunmao::testing
