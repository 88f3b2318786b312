// Byte sizes of tensors.
#include "runtime/element_type.h"

#include <gtest/gtest.h>

#include <array>

namespace sunmao::runtime {
namespace {

TEST(ElementType, elements_of_less_than_8_bits_are_packed) {
  const std::array<int64_t, 2> shape{3, 5};
  EXPECT_EQ(byte_size({kDLInt, 4, 1}, shape), 8u);
  EXPECT_EQ(byte_size({kDLUInt, 2, 1}, shape), 4u);
  EXPECT_EQ(byte_size({kDLFloat4_e2m1fn, 4, 1}, shape), 8u);
  EXPECT_EQ(byte_size({kDLFloat6_e3m2fn, 6, 1}, shape), 12u);
  EXPECT_EQ(byte_size({kDLBool, 8, 1}, shape), 15u);
  EXPECT_EQ(byte_size({kDLFloat, 32, 1}, shape), 60u);
  EXPECT_EQ(byte_size({kDLInt, 4, 1}, std::array<int64_t, 2>{3, 0}), 0u);
  EXPECT_EQ(byte_size({kDLInt, 4, 1}, {}), 1u);
}

TEST(ElementType, unused_bits_end_the_last_byte) {
  EXPECT_EQ(unused_bits({kDLInt, 4, 1}, std::array<int64_t, 2>{3, 5}), 0xf0);
  EXPECT_EQ(unused_bits({kDLInt, 4, 1}, std::array<int64_t, 2>{2, 5}), 0);
  EXPECT_EQ(unused_bits({kDLUInt, 2, 1}, std::array<int64_t, 1>{7}), 0xc0);
  EXPECT_EQ(unused_bits({kDLFloat6_e3m2fn, 6, 1}, std::array<int64_t, 1>{2}), 0xf0);
  EXPECT_EQ(unused_bits({kDLInt, 8, 1}, std::array<int64_t, 1>{7}), 0);
  EXPECT_EQ(unused_bits({kDLInt, 4, 1}, std::array<int64_t, 1>{0}), 0);
}

TEST(ElementType, small_types_are_supported_and_have_names) {
  EXPECT_TRUE(is_supported({kDLUInt, 2, 1}));
  EXPECT_EQ(to_string(abi::ElementType{kDLFloat6_e2m3fn, 6, 1}), "float6_e2m3fn");
  EXPECT_FALSE(is_supported({kDLFloat, 8, 1}));
}

TEST(ElementType, sizes_beyond_all_memory_are_none) {
  const std::array<int64_t, 2> huge{int64_t{1} << 40, int64_t{1} << 40};
  EXPECT_FALSE(byte_size({kDLInt, 4, 1}, huge));
  const std::array<int64_t, 1> negative{-1};
  EXPECT_FALSE(byte_size({kDLInt, 4, 1}, negative));
}

}  // namespace
}  // namespace sunmao::runtime
