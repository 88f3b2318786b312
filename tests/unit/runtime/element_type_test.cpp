// Byte sizes of tensors.
#include "runtime/element_type.h"

#include <gtest/gtest.h>

#include <array>

namespace sunmao::runtime {
namespace {

TEST(ElementType, an_element_of_less_than_8_bits_takes_a_byte) {
  const std::array<int64_t, 2> shape{3, 5};
  EXPECT_EQ(byte_size({kDLInt, 4, 1}, shape), 15u);
  EXPECT_EQ(byte_size({kDLFloat4_e2m1fn, 4, 1}, shape), 15u);
  EXPECT_EQ(byte_size({kDLFloat6_e3m2fn, 6, 1}, shape), 15u);
  EXPECT_EQ(byte_size({kDLFloat, 32, 1}, shape), 60u);
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
