// Elements of less than a byte are packed: their layout, and arrays of them.
#include <gtest/gtest.h>

#include <array>

#include "eval/element.h"
#include "support/array.h"
#include "support/shape_bytes.h"

namespace sunmao {
namespace {

const DType kInt4 = DType::int_(4), kUint2 = DType::uint(2), kFloat6 = *DType::parse("float6_e3m2fn");

template <size_t kSize>
std::span<const std::byte> as_memory(const std::array<uint8_t, kSize>& bytes) {
  return std::as_bytes(std::span(bytes));
}

std::vector<int> bytes_of(const Array& a) {
  std::vector<int> out;
  for (const std::byte b : a.bytes()) out.push_back(std::to_integer<int>(b));
  return out;
}

TEST(PackedElements, low_bits_come_first) {
  ArrayBuilder int4(kInt4, {3}), uint2(kUint2, {5}), float6(kFloat6, {3});
  for (int64_t i = 0; i < 3; ++i) store_element(kInt4, int4.data(), i, int_number(i - 2));
  for (int64_t i = 0; i < 5; ++i) store_element(kUint2, uint2.data(), i, int_number(i));
  for (uint64_t i = 0; i < 3; ++i) abi::store_bits(float6.data(), 6, i, static_cast<uint8_t>(0x21 + i));
  EXPECT_EQ(bytes_of(std::move(int4).finish()), (std::vector{0xfe, 0x00}));
  EXPECT_EQ(bytes_of(std::move(uint2).finish()), (std::vector{0xe4, 0x00}));
  EXPECT_EQ(bytes_of(std::move(float6).finish()), (std::vector{0xa1, 0x38, 0x02}));
}

TEST(PackedElements, a_store_changes_one_element) {
  for (const DType dtype : {kInt4, kUint2, kFloat6}) {
    const uint8_t all = static_cast<uint8_t>((1u << dtype.bits) - 1);
    for (uint64_t stored = 0; stored < 9; ++stored) {
      ArrayBuilder a(dtype, {9});
      abi::store_bits(a.data(), dtype.bits, stored, 0xff);
      for (uint64_t i = 0; i < 9; ++i)
        EXPECT_EQ(abi::load_bits(a.data(), dtype.bits, i), i == stored ? all : 0) << dtype.str() << " " << i;
    }
  }
}

TEST(PackedElements, a_last_byte_may_be_used_in_part) {
  EXPECT_EQ(shape_bytes(std::array<int64_t, 2>{3, 5}, kInt4), 8);
  EXPECT_EQ(shape_bytes(std::array<int64_t, 2>{3, 5}, kUint2), 4);
  EXPECT_EQ(shape_bytes(std::array<int64_t, 2>{3, 5}, kFloat6), 12);
  EXPECT_EQ(shape_bytes(std::array<int64_t, 2>{0, 5}, kInt4), 0);
  EXPECT_EQ(shape_bytes({}, kInt4), 1);
  EXPECT_EQ(shape_bytes(std::array<int64_t, 1>{3}, DType::int_(4, 3)), 5) << "elements of three lanes";
  EXPECT_EQ(shape_bytes(std::array<int64_t, 1>{5}, DType::bool_()), 5);
  EXPECT_FALSE(shape_bytes(std::array<int64_t, 2>{int64_t{1} << 40, int64_t{1} << 40}, kInt4));
  EXPECT_FALSE(shape_bytes(std::array<int64_t, 1>{-1}, kInt4));
}

TEST(PackedElements, arrays_have_no_unused_bits_set) {
  const std::array<uint8_t, 2> odd{0x21, 0xf3};
  const auto borrowed = std::make_shared<int>(0);
  const Array copied = Array::copy(kInt4, {3}, as_memory(odd));
  const Array wrapped = Array::wrap(kInt4, {3}, as_memory(odd).data(), borrowed);
  EXPECT_EQ(bytes_of(copied), (std::vector{0x21, 0x03}));
  EXPECT_EQ(copied, wrapped);
  EXPECT_NE(wrapped.data(), as_memory(odd).data());
  EXPECT_EQ(load_element(wrapped, 2).i, 3);
}

TEST(PackedElements, an_array_is_shared_where_all_bits_are_used) {
  const std::array<uint8_t, 2> even{0x21, 0xf3};
  const Array wrapped = Array::wrap(kInt4, {4}, as_memory(even).data(), nullptr);
  EXPECT_EQ(wrapped.data(), as_memory(even).data());
  EXPECT_EQ(wrapped.size_bytes(), 2u);
  EXPECT_EQ(load_element(wrapped, 3).i, -1);
  EXPECT_EQ(Array::wrap(kInt4, {0}, nullptr, nullptr).size_bytes(), 0u);
}

TEST(PackedElements, copies_go_from_any_place_to_any_place) {
  const std::array<uint8_t, 3> from{0x21, 0x43, 0x05};
  const Array x = Array::copy(kInt4, {5}, as_memory(from));
  ArrayBuilder out(kInt4, {3});
  for (int64_t i = 0; i < 3; ++i) copy_element(kInt4, out.data(), i, x.data(), i + 1);
  EXPECT_EQ(bytes_of(std::move(out).finish()), (std::vector{0x32, 0x04}));
}

}  // namespace
}  // namespace sunmao
