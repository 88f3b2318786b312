#include "eval/compare.h"
#include "tests/unit/eval/float_array.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace sunmao {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(Compare, RoundingIsNoDifference) {
  const Comparison c =
      compare(float_array({1, -2, 0}), float_array({1.00001f, -2, 1e-6f}), tolerance_of(DType::float_(32)));
  EXPECT_TRUE(c.is_equal());
  EXPECT_NEAR(c.largest, 1e-5, 1e-6);
  EXPECT_EQ(c.worst, 0);
}

TEST(Compare, NamesTheLargestDifference) {
  const Comparison c = compare(float_array({1, 2, 3}), float_array({1.5f, 2, 5}), tolerance_of(DType::float_(32)));
  EXPECT_EQ(c.differing, 2);
  EXPECT_EQ(c.worst, 2);
  EXPECT_EQ(c.expected, 3);
  EXPECT_EQ(c.got, 5);
}

TEST(Compare, NanEqualsNanAndInfinityItself) {
  EXPECT_TRUE(compare(float_array({kNan, kInfinity}), float_array({kNan, kInfinity}), {}).is_equal());
}

TEST(Compare, NanAndInfinityEqualNothingElse) {
  const Tolerance wide{.absolute = 1e30, .relative = 1};
  for (const auto& [a, b] :
       {std::pair{kNan, 1.0f}, {1.0f, kNan}, {kInfinity, 1.0f}, {1.0f, kInfinity}, {kInfinity, -kInfinity}}) {
    const Comparison c = compare(float_array({a}), float_array({b}), wide);
    EXPECT_EQ(c.differing, 1) << a << " against " << b;
    EXPECT_TRUE(std::isinf(c.largest));
  }
}

TEST(Compare, IntegersHaveToBeEqual) {
  const std::vector<int64_t> a = {1, 2}, b = {1, 3};
  EXPECT_FALSE(compare(Array::from_ints({2}, a), Array::from_ints({2}, b), tolerance_of(DType::int_(64))).is_equal());
}

TEST(Compare, AnotherShapeOrTypeIsNotCompared) {
  EXPECT_EQ(compare(float_array({1, 2}), float_array({1}), {}).mismatch, "expected float32 (2), got float32 (1)");
  const std::vector<int64_t> one = {1};
  EXPECT_EQ(compare(float_array({1}), Array::from_ints({1}, one), {}).mismatch, "expected float32 (1), got int64 (1)");
}

}  // namespace
}  // namespace sunmao
