#include <cmath>

#include "tests/unit/ops/op_case.h"

namespace sunmao {
namespace {

Expr indices(std::vector<int64_t> dims) { return tensor(std::move(dims), DType::int_(64)); }
Expr pair(Expr a, Expr b) { return Tuple::make({std::move(a), std::move(b)}); }

TEST(GatherOps, Infer) {
  EXPECT_EQ(inferred("take", {tensor({4, 5}), indices({2, 3})}, axis(1)), "Tensor((4, 2, 3), \"float32\")");
  EXPECT_EQ(inferred("take", {tensor({4, 5}), number(1)}, axis(0)), "Tensor((5,), \"float32\")");
  EXPECT_EQ(inferred("take", {tensor({4}), indices({2})}), "Tensor((2,), \"float32\")");
  EXPECT_EQ(inferred("take", {tensor({4, 5}), variable(unknown_type(2, DType::int_(64)))}, axis(1)),
            "Tensor(ndim=3, \"float32\")");
  EXPECT_EQ(inferred("gather_elements", {tensor({4, 5}), indices({2, 5})}), "Tensor((2, 5), \"float32\")");
  EXPECT_EQ(inferred("gather_nd", {tensor({2, 3, 4}), indices({5, 2})}), "Tensor((5, 4), \"float32\")");
  EXPECT_EQ(inferred("index_tensor", {tensor({4, 5, 6}), pair(indices({3, 1}), indices({2}))}),
            "Tensor((3, 2, 6), \"float32\")");
}

TEST(GatherOps, RefuseWhatDoesNotFit) {
  EXPECT_EQ(failure("take", {tensor({4}), tensor({2})}), "E0306");
  EXPECT_EQ(failure("take", {tensor({4}), indices({2})}, {{"mode", "x"}}), "E0203");
  EXPECT_EQ(failure("take", {tensor({4, 5}), indices({2})}), "E0307");
  EXPECT_EQ(failure("take", {tensor({4, 5}), indices({2})}, axis(2)), "E0203");
  EXPECT_EQ(failure("gather_elements", {tensor({4, 5}), indices({2})}), "E0307");
  EXPECT_EQ(failure("gather_elements", {tensor({4}), indices({2})}, axis(1)), "E0203");
  EXPECT_EQ(failure("gather_elements", {tensor({4}), tensor({2})}), "E0306");
  EXPECT_EQ(failure("gather_nd", {tensor({4}), indices({2, 2})}), "E0309");
  EXPECT_EQ(failure("gather_nd", {tensor({4}), indices({2, 1})}, {{"batch_dims", -1}}), "E0203");
  EXPECT_EQ(failure("index_tensor", {tensor({4}), Tuple::make({})}), "E0202");
  EXPECT_EQ(failure("index_tensor", {tensor({4}), pair(indices({2}), indices({2}))}), "E0309");
  EXPECT_EQ(failure("index_tensor", {tensor({4, 4}), pair(indices({2}), indices({3}))}), "E0303");
}

TEST(GatherOps, Values) {
  Expr x = floats({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(run("take", {x, ints({2}, {2, -3})}, axis(1)), (F{3, 1, 6, 4}));
  EXPECT_EQ(run("take", {x, ints({1}, {9})}, {{"axis", 1}, {"mode", "clip"}}), (F{3, 6}));
  EXPECT_EQ(run("take", {x, ints({1}, {4})}, {{"axis", 1}, {"mode", "wrap"}}), (F{2, 5}));
  EXPECT_TRUE(std::isnan(run("take", {x, ints({1}, {4})}, {{"axis", 1}, {"mode", "nan"}})[0]));
  EXPECT_EQ(run("take", {x, number(1)}, axis(0)), (F{4, 5, 6}));
  EXPECT_EQ(run("gather_elements", {x, ints({1, 3}, {1, 0, -1})}), (F{4, 2, 6}));
  EXPECT_EQ(run("gather_nd", {x, ints({2, 2}, {0, 1, 1, 2})}), (F{2, 6}));
  EXPECT_EQ(run("gather_nd", {x, ints({2, 1}, {2, 0})}, {{"batch_dims", 1}}), (F{3, 4}));
  EXPECT_EQ(run("index_tensor", {x, pair(ints({2, 1}, {0, 1}), ints({2}, {0, 2}))}), (F{1, 3, 4, 6}));
}

TEST(ScatterOps, RefuseWhatDoesNotFit) {
  Expr x = tensor({4, 4}), i = indices({2, 2}), u = tensor({2, 2});
  EXPECT_EQ(inferred("scatter_elements", {x, i, u}), "Tensor((4, 4), \"float32\")");
  EXPECT_EQ(failure("scatter_elements", {x, u, u}), "E0306");
  EXPECT_EQ(failure("scatter_elements", {x, i, tensor({2, 2}, DType::int_(8))}), "E0304");
  EXPECT_EQ(failure("scatter_elements", {x, indices({2}), u}), "E0307");
  EXPECT_EQ(failure("scatter_elements", {x, i, u}, axis(2)), "E0203");
  EXPECT_EQ(failure("scatter_elements", {x, i, tensor({2, 3})}), "E0309");
  EXPECT_EQ(failure("scatter_nd", {tensor({4}), indices({2, 2}), tensor({2})}), "E0309");
  EXPECT_EQ(failure("scatter_nd", {tensor({4}), indices({2, 1}), tensor({2, 1})}), "E0307");
  EXPECT_EQ(failure("scatter_nd", {tensor({4}), indices({2, 1}), tensor({3})}), "E0309");
  EXPECT_EQ(failure("index_put", {tensor({4}), Tuple::make({}), tensor({2})}), "E0202");
  EXPECT_EQ(failure("index_put", {tensor({4}), pair(indices({2}), indices({2})), tensor({2})}), "E0309");
  EXPECT_EQ(failure("index_put", {tensor({4}), Tuple::make({tensor({2})}), tensor({2})}), "E0306");
  std::vector<Expr> slice{tensor({4}), tensor({2}), number(0), number(4), number(2)};
  EXPECT_EQ(inferred("slice_scatter", slice), "Tensor((4,), \"float32\")");
  slice[4] = number(0);
  EXPECT_EQ(failure("slice_scatter", slice), "E0203");
  slice[4] = tensor({});
  EXPECT_EQ(failure("slice_scatter", slice), "E0201");
  EXPECT_EQ(failure("slice_scatter", {tensor({4}), tensor({2, 1}), number(0), number(4), number(2)}), "E0307");
  EXPECT_EQ(failure("slice_scatter", {tensor({4, 2}), tensor({2, 3}), number(0), number(4), number(2)}), "E0309");
}

TEST(ScatterOps, Values) {
  Expr zeros = floats({2, 3}, {0, 0, 0, 0, 0, 0}), i = ints({1, 3}, {1, 0, 1});
  EXPECT_EQ(run("scatter_elements", {zeros, i, floats({1, 3}, {1, 2, 3})}), (F{0, 2, 0, 1, 0, 3}));
  Expr ones = floats({3}, {1, 1, 1});
  EXPECT_EQ(run("scatter_elements", {ones, ints({3}, {0, 0, 2}), floats({3}, {2, 3, 4})}, {{"reduction", "add"}}),
            (F{6, 1, 5}));
  EXPECT_EQ(run("scatter_elements", {ones, ints({3}, {0, 0, 2}), floats({3}, {2, 3, 4})}, {{"reduction", "mul"}}),
            (F{6, 1, 4}));
  EXPECT_EQ(run("scatter_nd", {ones, ints({2, 1}, {0, -1}), floats({2}, {5, 6})}), (F{5, 1, 6}));
  EXPECT_EQ(run("index_put", {zeros, pair(ints({2}, {0, 1}), ints({2}, {2, 0})), floats({2}, {7, 8})}),
            (F{0, 0, 7, 8, 0, 0}));
  AttrMap adds{{"accumulate", true}};
  EXPECT_EQ(run("index_put", {ones, Tuple::make({ints({2}, {1, 1})}), floats({1}, {2})}, adds), (F{1, 5, 1}));
  EXPECT_EQ(run("slice_scatter", {floats({4}, {0, 0, 0, 0}), floats({2}, {1, 2}), number(1), number(4), number(2)}),
            (F{0, 1, 0, 2}));
}

TEST(IndexOps, InferSlices) {
  EXPECT_EQ(
      inferred("strided_slice", {tensor({8, 9}), numbers({0, -1}), numbers({1, 8}), numbers({8, 0}), numbers({2, -3})}),
      "Tensor((4, 3), \"float32\")");
  EXPECT_EQ(inferred("strided_slice", {tensor({8}), numbers({0}), numbers({20}), numbers({30})}),
            "Tensor((0,), \"float32\")");
  Ref<SymVar> m = SymVar::make("m");
  Expr x = variable(TensorType::make({m}, DType::float_(32)));
  EXPECT_EQ(inferred("strided_slice", {x, numbers({0}), numbers({0}), Tuple::make({PrimValue::make(m)})},
                     {{"assume_inbound", true}}),
            "Tensor((m,), \"float32\")");
  Expr unknown = variable(TupleType::make({PrimType::make(DType::int_(64))}));
  EXPECT_EQ(inferred("strided_slice", {tensor({8}), numbers({0}), unknown, numbers({4})}),
            "Tensor(ndim=1, \"float32\")");
  EXPECT_EQ(inferred("dynamic_strided_slice", {tensor({8, 9}), indices({2}), indices({2}), indices({2})}),
            "Tensor(ndim=2, \"float32\")");
}

TEST(IndexOps, RefuseWhatDoesNotFit) {
  Expr x = tensor({8, 9}), one = numbers({1});
  EXPECT_EQ(failure("strided_slice", {x, tensor({1}), one, one}), "E0201");
  EXPECT_EQ(failure("strided_slice", {x, one, Tuple::make({number(0.5)}), one}), "E0201");
  EXPECT_EQ(failure("strided_slice", {x, one, numbers({0, 0}), one}), "E0202");
  EXPECT_EQ(failure("strided_slice", {x, numbers({2}), one, one}), "E0203");
  EXPECT_EQ(failure("strided_slice", {x, numbers({0, -2}), numbers({0, 0}), numbers({1, 1})}), "E0203");
  EXPECT_EQ(failure("strided_slice", {x, one, one, one, numbers({0})}), "E0203");
  EXPECT_EQ(failure("dynamic_strided_slice", {x, tensor({2}), indices({2}), indices({2})}), "E0306");
  EXPECT_EQ(failure("dynamic_strided_slice", {x, indices({2, 1}), indices({2}), indices({2})}), "E0307");
  EXPECT_EQ(failure("dynamic_strided_slice", {x, indices({3}), indices({2}), indices({2})}), "E0309");
}

TEST(IndexOps, Values) {
  Expr x = floats({5}, {0, 1, 2, 3, 4});
  EXPECT_EQ(run("strided_slice", {x, numbers({0}), numbers({1}), numbers({5}), numbers({2})}), (F{1, 3}));
  EXPECT_EQ(run("strided_slice", {x, numbers({0}), numbers({-1}), numbers({-6}), numbers({-2})}), (F{4, 2, 0}));
  EXPECT_EQ(run("strided_slice", {x, numbers({0}), numbers({-2}), numbers({9})}), (F{3, 4}));
}

}  // namespace
}  // namespace sunmao
