#include <gtest/gtest.h>

#include "sym/analyzer.h"
#include "sym/inverse_map.h"

namespace sunmao {
namespace {

const Ref<SymVar> i = SymVar::make("i"), j = SymVar::make("j");
Scalar n(int64_t value) { return int_imm(value); }

// True when the inverse map takes the image of every index in a box back to that index.
bool comes_back(const IndexMap& map, const std::vector<int64_t>& sizes) {
  std::vector<Scalar> extents;
  for (int64_t s : sizes) extents.push_back(n(s));
  Ref<IndexMap> back = inverse_of(map, extents);
  if (!back) return false;
  int64_t count = 1;
  for (int64_t s : sizes) count *= s;
  for (int64_t k = 0; k < count; ++k) {
    std::vector<Scalar> at(sizes.size());
    int64_t rest = k;
    for (size_t axis = sizes.size(); axis-- > 0; rest /= sizes[axis]) at[axis] = n(rest % sizes[axis]);
    const std::vector<Scalar> returned = back->apply(map.apply(at));
    for (size_t axis = 0; axis < at.size(); ++axis)
      if (*find_int(returned[axis]) != *find_int(at[axis])) return false;
  }
  return true;
}

TEST(InverseMap, turns_cuts_and_joins_round) {
  EXPECT_TRUE(comes_back(*IndexMap::make({i}, {floor_div(i, n(4)), floor_mod(i, n(4))}), {16}));
  EXPECT_TRUE(comes_back(*IndexMap::make({i}, {floor_div(i, n(4)), floor_mod(i, n(4))}), {14}));
  EXPECT_TRUE(comes_back(*IndexMap::make({i}, {floor_mod(i, n(16))}), {14}));
  EXPECT_TRUE(comes_back(*IndexMap::make({i, j}, {i * n(5) + j}), {3, 5}));
  EXPECT_TRUE(comes_back(*IndexMap::make({i, j}, {floor_div(j, n(2)), i, floor_mod(j, n(2))}), {3, 6}));
  EXPECT_TRUE(comes_back(*IndexMap::make({i, j}, {floor_mod(i, n(2)) * n(6) + j, floor_div(i, n(2))}), {4, 6}));
  EXPECT_TRUE(comes_back(
      *IndexMap::make({i, j}, {floor_mod(floor_div(i, n(2)), n(3)), floor_mod(i, n(2)), floor_div(i, n(6)), n(0)}),
      {12, 1}));
}

TEST(InverseMap, knows_what_has_none) {
  EXPECT_FALSE(inverse_of(*IndexMap::make({i}, {floor_mod(i, n(4))}), std::vector{n(16)}));
  EXPECT_FALSE(inverse_of(*IndexMap::make({i}, {floor_div(i, n(4))}), std::vector{n(16)}));
  EXPECT_FALSE(inverse_of(*IndexMap::make({i, j}, {i + j}), std::vector{n(4), n(4)}));
  EXPECT_FALSE(inverse_of(*IndexMap::make({i, j}, {i * n(3) + j}), std::vector{n(4), n(4)}));
  EXPECT_FALSE(inverse_of(*IndexMap::make({i, j}, {i}), std::vector{n(4), n(4)}));
}

TEST(InverseMap, takes_symbols_where_nothing_is_joined) {
  const Ref<SymVar> size = SymVar::make("n");
  Ref<IndexMap> back =
      inverse_of(*IndexMap::make({i, j}, {floor_div(j, n(8)), i, floor_mod(j, n(8))}), std::vector<Scalar>{size, size});
  ASSERT_TRUE(back);
  Analyzer analyzer;
  const std::vector<Scalar> at{n(3), n(5), n(2)};
  EXPECT_EQ(*find_int(back->apply(at)[0]), 5);
  EXPECT_EQ(*find_int(back->apply(at)[1]), 26);
}

}  // namespace
}  // namespace sunmao
