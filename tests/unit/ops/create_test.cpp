#include "tests/unit/ops/op_case.h"

namespace sunmao {
namespace {

TEST(CreateOps, InferTheShapeThatIsGiven) {
  Ref<SymVar> n = SymVar::make("n");
  EXPECT_EQ(inferred("full", {shape({n, int_imm(2)}), number(1.0)}), "Tensor((n, 2), \"float32\")");
  EXPECT_EQ(inferred("ones", {shape_of_ints({2})}, {{"dtype", "int8"}}), "Tensor((2,), \"int8\")");
  EXPECT_EQ(inferred("zeros_like", {tensor({2, 3})}, {{"dtype", "bool"}}), "Tensor((2, 3), \"bool\")");
  EXPECT_EQ(inferred("full_like", {variable(unknown_type(2)), tensor({})}), "Tensor(ndim=2, \"float32\")");
  EXPECT_EQ(inferred("eye", {number(3)}), "Tensor((3, 3), \"float32\")");
  EXPECT_EQ(inferred("eye", {number(3), PrimValue::make(n)}), "Tensor((3, n), \"float32\")");
  EXPECT_EQ(inferred("eye_like", {tensor({2, 3})}), "Tensor((2, 3), \"float32\")");
  EXPECT_EQ(inferred("arange", {number(10)}), "Tensor((10,), \"int64\")");
  EXPECT_EQ(inferred("arange", {number(1), number(10), number(4)}), "Tensor((3,), \"int64\")");
  EXPECT_EQ(inferred("arange", {number(0), number(1.0), number(0.25)}), "Tensor((4,), \"float32\")");
  EXPECT_EQ(inferred("arange", {PrimValue::make(n)}), "Tensor((n,), \"int64\")");
  EXPECT_EQ(inferred("triu", {tensor({2, 3})}), "Tensor((2, 3), \"float32\")");
  // The result's shape is the variable `s` itself, which holds a whole shape.
  Ref<Var> s = Var::make("s", ShapeType::make_unknown(2));
  Ref<Call> made = call_op("ones", {s}, {{"dtype", "float32"}});
  EXPECT_EQ(find<TensorType>(made->type)->shape, Expr(s));
}

TEST(CreateOps, RefuseWhatDoesNotFit) {
  EXPECT_EQ(failure("full", {shape_of_ints({2}), tensor({1})}), "E0307");
  EXPECT_EQ(failure("full", {tensor({2}), tensor({})}), "E0201");
  EXPECT_EQ(failure("ones", {shape_of_ints({2})}), "E0203");
  EXPECT_EQ(failure("eye", {tensor({})}), "E0201");
  EXPECT_EQ(failure("eye_like", {tensor({2})}), "E0307");
  EXPECT_EQ(failure("arange", {number(0), number(1), number(0)}), "E0203");
  EXPECT_EQ(failure("tril", {tensor({3})}), "E0307");
  EXPECT_EQ(failure("tril", {tensor({3, 3}), tensor({})}), "E0201");
  AttrMap dtype{{"dtype", "int32"}};
  EXPECT_EQ(failure("hamming_window", {number(3), number(1), number(0.5), number(0.5)}, dtype), "E0306");
}

TEST(CreateOps, Values) {
  EXPECT_EQ(run("full", {shape_of_ints({2}), number(7.0)}), (F{7, 7}));
  EXPECT_EQ(run("full_like", {floats({2}, {1, 2}), floats({}, {3})}), (F{3, 3}));
  EXPECT_EQ(run("ones", {shape_of_ints({2})}, {{"dtype", "float32"}}), (F{1, 1}));
  EXPECT_EQ(run("zeros_like", {floats({2}, {1, 2})}), (F{0, 0}));
  EXPECT_EQ(run("eye", {number(2), number(3), number(1)}), (F{0, 1, 0, 0, 0, 1}));
  EXPECT_EQ(run_ints("arange", {number(5), number(0), number(-2)}), (std::vector<int64_t>{5, 3, 1}));
  EXPECT_EQ(run("arange", {number(0), number(1.0), number(0.25)}), (F{0, 0.25, 0.5, 0.75}));
  Expr x = floats({2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(run("tril", {x}), (F{1, 0, 3, 4}));
  EXPECT_EQ(run("triu", {x, number(1)}), (F{0, 2, 0, 0}));
  F window = run("hamming_window", {number(3), number(0), number(0.54), number(0.46)}, {{"dtype", "float32"}});
  EXPECT_NEAR(window[0], 0.08f, 1e-6);
  EXPECT_NEAR(window[1], 1.0f, 1e-6);
}

TEST(TernaryOps, InferAndEvaluate) {
  EXPECT_EQ(inferred("where", {tensor({2, 1}, DType::bool_()), tensor({3}), tensor({})}),
            "Tensor((2, 3), \"float32\")");
  EXPECT_EQ(failure("where", {tensor({2}), tensor({2}), tensor({2})}), "E0306");
  EXPECT_EQ(failure("where", {tensor({2}, DType::bool_()), tensor({2}), tensor({2}, DType::int_(8))}), "E0304");
  EXPECT_EQ(failure("where", {tensor({2}, DType::bool_()), tensor({3}), tensor({3})}), "E0303");
  EXPECT_EQ(run("where", {bools({2}, {1, 0}), floats({2}, {1, 2}), number(9.0)}), (F{1, 9}));
  EXPECT_EQ(inferred("ewise_fma", {tensor({2}), tensor({2}), tensor({2})}), "Tensor((2,), \"float32\")");
  EXPECT_EQ(failure("ewise_fma", {tensor({2}), tensor({2, 1}), tensor({2})}), "E0307");
  EXPECT_EQ(failure("ewise_fma", {tensor({2}), tensor({3}), tensor({2})}), "E0309");
  EXPECT_EQ(failure("ewise_fma", {tensor({2}), tensor({2}), tensor({2}, DType::int_(8))}), "E0304");
  EXPECT_EQ(run("ewise_fma", {floats({1}, {2}), floats({1}, {3}), floats({1}, {4})}), (F{10}));
  EXPECT_EQ(run("masked_fill", {floats({2}, {1, 2}), bools({2}, {0, 1}), number(5)}), (F{1, 5}));
  EXPECT_EQ(failure("masked_fill", {tensor({2}), tensor({2}), number(5)}), "E0306");
}

}  // namespace
}  // namespace sunmao
