// What a kernel is compared with.
#include "compiler/model_profile.h"

#include <gtest/gtest.h>

namespace sunmao {
namespace {

constexpr MachinePeak kPeak{
    .flops = 1000, .int8_flops = 4000, .bfloat16_flops = 2000, .bytes = 10, .cache_bytes = 100, .cache_size = 50};

KernelTime kernel(const char* family, double flops, double bytes, double seconds) {
  return {.name = "k", .family = family, .calls = 1, .seconds = seconds, .flops = flops, .bytes = bytes, .places = {}};
}

TEST(Attained, is_of_the_limit_that_takes_longest) {
  const auto busy = attained(kernel("contraction", 4000, 10, 8), kPeak);
  ASSERT_TRUE(busy);
  EXPECT_EQ(busy->limit, Limit::Arithmetic);
  EXPECT_DOUBLE_EQ(busy->share, 0.5);
  EXPECT_DOUBLE_EQ(busy->expected, 0.8);
  const auto moving = attained(kernel("map", 100, 200, 40), kPeak);
  ASSERT_TRUE(moving);
  EXPECT_EQ(moving->limit, Limit::Memory);
  EXPECT_DOUBLE_EQ(moving->share, 0.5);
  EXPECT_DOUBLE_EQ(moving->expected, 0.6);
}

TEST(Attained, takes_bytes_from_caches_where_those_of_a_call_fit) {
  KernelTime k = kernel("row", 1, 40, 1);
  EXPECT_EQ(attained(k, kPeak)->limit, Limit::Cache);
  EXPECT_DOUBLE_EQ(attained(k, kPeak)->share, 0.4);
  k.bytes = 80;
  EXPECT_EQ(attained(k, kPeak)->limit, Limit::Memory);
  k.calls = 2;
  EXPECT_EQ(attained(k, kPeak)->limit, Limit::Cache);
}

TEST(Attained, compares_products_of_bytes_with_their_own_peak) {
  KernelTime k = kernel("contraction", 4000, 1, 2);
  k.flops_on = {{"int8", 4000}};
  EXPECT_EQ(attained(k, kPeak)->limit, Limit::Int8);
  EXPECT_DOUBLE_EQ(attained(k, kPeak)->share, 0.5);
  EXPECT_DOUBLE_EQ(attained(k, kPeak)->expected, 0.8);
  k.flops_on = {{"int8", 3960}, {"float32", 40}};
  EXPECT_EQ(attained(k, kPeak)->limit, Limit::Int8);
  k.flops_on = {{"bfloat16", 4000}};
  EXPECT_EQ(attained(k, kPeak)->limit, Limit::BFloat16);
  EXPECT_DOUBLE_EQ(attained(k, kPeak)->share, 1);
}

TEST(Attained, adds_the_times_of_a_mixed_kernel) {
  KernelTime k = kernel("contraction", 5000, 1, 4);
  k.flops_on = {{"int8", 4000}, {"float32", 600}, {"integers", 400}};
  EXPECT_EQ(attained(k, kPeak)->limit, Limit::Mixed);
  EXPECT_DOUBLE_EQ(attained(k, kPeak)->share, 0.5);
  k.flops_on = {{"float32", 5000}};
  EXPECT_EQ(attained(k, kPeak)->limit, Limit::Arithmetic);
  EXPECT_DOUBLE_EQ(attained(k, kPeak)->share, 1.25);
  k.flops_on = {};
  EXPECT_EQ(attained(k, kPeak)->limit, Limit::Arithmetic);
}

TEST(Attained, is_absent_without_work) {
  EXPECT_FALSE(attained(kernel("map", 0, 0, 1), kPeak));
  EXPECT_FALSE(attained(kernel("map", 1, 1, 0), kPeak));
  KernelTime unknown = kernel("map", 1, 1, 1);
  unknown.flops = {};
  EXPECT_FALSE(attained(unknown, kPeak));
}

TEST(Attained, expects_nothing_of_other_families) {
  for (const char* family : {"other", ""}) EXPECT_EQ(attained(kernel(family, 10, 1, 1), kPeak)->expected, 0);
}

}  // namespace
}  // namespace sunmao
