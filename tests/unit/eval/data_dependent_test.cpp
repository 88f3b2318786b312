// Ops with data-dependent result sizes; expected values follow PyTorch and ONNX.
#include <cmath>

#include "tests/unit/ops/op_case.h"

namespace sunmao {
namespace {

std::vector<int64_t> integers(const Value& tuple, size_t i) { return elements<int64_t>(*(*tuple.tuple())[i].array()); }

AttrMap everything(bool sorted = true) {
  return {{"sorted", sorted}, {"return_index", true}, {"return_inverse", true}, {"return_counts", true}};
}

TEST(DataDependent, UniqueInOrderOrAsFound) {
  Expr x = floats({2, 3}, {3, 1, 3, 2, 1, 3});
  Value sorted = evaluated("unique", {x}, everything());
  EXPECT_EQ(field(sorted, 0), (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(integers(sorted, 1), (std::vector<int64_t>{1, 3, 0}));
  EXPECT_EQ(integers(sorted, 2), (std::vector<int64_t>{2, 0, 2, 1, 0, 2}));
  EXPECT_EQ(integers(sorted, 3), (std::vector<int64_t>{2, 1, 3}));
  Value found = evaluated("unique", {x}, everything(false));
  EXPECT_EQ(field(found, 0), (std::vector<float>{3, 1, 2}));
  EXPECT_EQ(integers(found, 1), (std::vector<int64_t>{0, 1, 3}));
  EXPECT_EQ(integers(found, 2), (std::vector<int64_t>{0, 1, 0, 2, 1, 0}));
  EXPECT_EQ(integers(found, 3), (std::vector<int64_t>{3, 2, 1}));
}

TEST(DataDependent, UniqueSlices) {
  AttrMap attrs = everything();
  attrs["axis"] = 1;
  Value v = evaluated("unique", {floats({2, 4}, {1, 0, 1, 0, 2, 5, 2, 4})}, attrs);
  EXPECT_EQ((*v.tuple())[0].array()->shape(), (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(field(v, 0), (std::vector<float>{0, 0, 1, 4, 5, 2}));
  EXPECT_EQ(integers(v, 1), (std::vector<int64_t>{3, 1, 0}));
  EXPECT_EQ(integers(v, 2), (std::vector<int64_t>{2, 1, 2, 0}));
  attrs["axis"] = -2;
  Value rows = evaluated("unique", {floats({3, 2}, {1, 0, 0, 1, 1, 0})}, attrs);
  EXPECT_EQ(field(rows, 0), (std::vector<float>{0, 1, 1, 0}));
  EXPECT_EQ(integers(rows, 3), (std::vector<int64_t>{1, 2}));
}

TEST(DataDependent, UniqueKeepsEachNanAndNothingOfNothing) {
  std::vector<float> v = run("unique", {floats({4}, {NAN, 1, NAN, 1})});
  ASSERT_EQ(v.size(), 3u);
  EXPECT_EQ(v[0], 1);
  EXPECT_TRUE(std::isnan(v[1]) && std::isnan(v[2]));
  EXPECT_EQ(run("unique", {floats({0}, {})}).size(), 0u);
  EXPECT_EQ(run("unique", {floats({}, {7})}), (std::vector<float>{7}));
  EXPECT_EQ(evaluated("unique", {floats({2, 0}, {})}, axis(0)).array()->shape(), (std::vector<int64_t>{1, 0}));
}

TEST(DataDependent, NonzeroGivesPlaces) {
  EXPECT_EQ(run_ints("nonzero", {floats({2, 3}, {0, 1, NAN, -0.0f, 0, 2})}), (std::vector<int64_t>{0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(evaluated("nonzero", {floats({2, 2}, {0, 0, 0, 0})}).array()->shape(), (std::vector<int64_t>{2, 0}));
  EXPECT_EQ(evaluated("nonzero", {floats({}, {5})}).array()->shape(), (std::vector<int64_t>{0, 1}));
}

TEST(DataDependent, SlicesThatARunKnows) {
  Expr x = floats({2, 4}, {0, 1, 2, 3, 4, 5, 6, 7});
  auto slice = [&](std::vector<int64_t> begin, std::vector<int64_t> end, std::vector<int64_t> strides) {
    return run("dynamic_strided_slice", {x, ints({2}, begin), ints({2}, end), ints({2}, strides)});
  };
  EXPECT_EQ(slice({0, 1}, {2, 4}, {1, 2}), (std::vector<float>{1, 3, 5, 7}));
  EXPECT_EQ(slice({-1, -1}, {2, -5}, {1, -2}), (std::vector<float>{7, 5}));
  EXPECT_EQ(slice({0, 3}, {9, 99}, {1, 1}), (std::vector<float>{3, 7}));
  EXPECT_EQ(slice({1, 0}, {1, 4}, {1, 1}), (std::vector<float>{}));
  EXPECT_THROW(slice({0, 0}, {1, 1}, {1, 0}), UserError);
}

}  // namespace
}  // namespace sunmao
