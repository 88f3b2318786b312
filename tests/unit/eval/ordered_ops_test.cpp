// Ops with sequential loops, interpreted from the same loop IR that is compiled: sorting, medians, suppression.
#include <cmath>

#include "tests/unit/ops/op_case.h"

namespace sunmao {
namespace {

std::vector<int32_t> small_integers(const Value& v, size_t i) { return elements<int32_t>(*(*v.tuple())[i].array()); }

TEST(OrderedOps, SortIsStableAndNanIsTheLargest) {
  Expr x = floats({2, 5}, {3, NAN, 1, 3, -INFINITY, 5, 4, 3, 2, 1});
  std::vector<float> up = run("sort", {x}), down = run("sort", {x}, {{"descending", true}});
  EXPECT_EQ(std::vector<float>(up.begin(), up.begin() + 4), (std::vector<float>{-INFINITY, 1, 3, 3}));
  EXPECT_TRUE(std::isnan(up[4]) && std::isnan(down[0]));
  EXPECT_EQ(std::vector<float>(up.begin() + 5, up.end()), (std::vector<float>{1, 2, 3, 4, 5}));
  EXPECT_EQ(run_ints("argsort", {x}, {{"dtype", "int64"}}), (std::vector<int64_t>{4, 2, 0, 3, 1, 4, 3, 2, 1, 0}));
  EXPECT_EQ(run_ints("argsort", {x}, {{"dtype", "int64"}, {"descending", true}}),
            (std::vector<int64_t>{1, 0, 3, 2, 4, 0, 1, 2, 3, 4}));
}

TEST(OrderedOps, SortAlongAnyAxisAndOfNothing) {
  EXPECT_EQ(run("sort", {floats({3, 2}, {5, 0, 1, 9, 3, 4})}, axis(0)), (std::vector<float>{1, 0, 3, 4, 5, 9}));
  EXPECT_TRUE(run("sort", {floats({0}, {})}).empty());
  EXPECT_TRUE(run("sort", {floats({0, 3}, {})}).empty());
}

TEST(OrderedOps, TopkOfMoreThanThereAreKeepsZeros) {
  Value v = evaluated("topk", {floats({3}, {1, 7, 5})}, {{"k", 2}});
  EXPECT_EQ(field(v, 0), (std::vector<float>{7, 5}));
  EXPECT_EQ(small_integers(v, 1), (std::vector<int32_t>{1, 2}));
  Value all = evaluated("topk", {floats({2}, {1, 7})}, {{"k", 3}, {"largest", false}});
  EXPECT_EQ(field(all, 0), (std::vector<float>{1, 7, 0}));
}

TEST(OrderedOps, MedianOfNothingIsNan) {
  EXPECT_TRUE(std::isnan(run("median", {floats({0}, {})})[0]));
  EXPECT_EQ(run("median", {floats({2, 2}, {4, 1, 3, 2})})[0], 2);
}

TEST(OrderedOps, SuppressionInOrderOfScores) {
  Expr boxes = floats({1, 3, 5}, {0.5, 0, 0, 1, 1, 0.9f, 0, 0, 1, 0.9f, 0.7f, 2, 2, 3, 3});
  Expr valid = integers<int32_t>(DType::int_(32), {1}, {3}),
       ids = integers<int32_t>(DType::int_(32), {1, 3}, {7, 8, 9});
  Value v = evaluated("vision.non_max_suppression", {boxes, valid, ids},
                      {{"coord_start", 1}, {"score_index", 0}, {"id_index", -1}});
  EXPECT_EQ(small_integers(v, 0), (std::vector<int32_t>{8, 9, -1}));
  EXPECT_EQ(small_integers(v, 1), (std::vector<int32_t>{2}));
}

TEST(OrderedOps, SuppressionOfTensorflowCountsEachBatch) {
  Expr boxes = floats({1, 2, 4}, {0, 0, 1, 1, 0, 0, 1, 1});
  Value v = evaluated("vision.all_class_non_max_suppression",
                      {boxes, floats({1, 2, 2}, {0.5, 0.9f, 0.1f, 0.8f}), number(2), number(0.5), number(0.3)},
                      {{"output_format", "tensorflow"}});
  EXPECT_EQ(elements<int64_t>(*(*v.tuple())[0].array()), (std::vector<int64_t>{0, 1, 1, 1, 0, 0, 0, 0}));
  EXPECT_EQ(field(v, 1), (std::vector<float>{0.9f, 0.8f, 0, 0}));
  EXPECT_EQ(elements<int64_t>(*(*v.tuple())[2].array()), (std::vector<int64_t>{2}));
}

}  // namespace
}  // namespace sunmao
