#include <cmath>

#include "tests/unit/ops/op_case.h"

namespace sunmao {
namespace {

TEST(BinaryOps, InferTheBroadcastShape) {
  Ref<SymVar> m = SymVar::make("m"), n = SymVar::make("n");
  Expr a = variable(TensorType::make({m, int_imm(1)}, DType::float_(32)));
  Expr b = variable(TensorType::make({n}, DType::float_(32)));
  EXPECT_EQ(inferred("add", {a, b}), "Tensor((m, n), \"float32\")");
  EXPECT_EQ(inferred("power", {tensor({2, 3}), tensor({3})}), "Tensor((2, 3), \"float32\")");
  EXPECT_EQ(inferred("less_equal", {tensor({2, 3}), tensor({2, 1})}), "Tensor((2, 3), \"bool\")");
}

TEST(BinaryOps, InferWhatIsKnown) {
  EXPECT_EQ(inferred("divide", {variable(unknown_type(3)), tensor({4})}), "Tensor(ndim=3, \"float32\")");
  EXPECT_EQ(inferred("divide", {variable(unknown_type()), tensor({4})}), "Tensor(\"float32\")");
  EXPECT_EQ(inferred("divide", {tensor({4}, DType::void_()), tensor({4})}), "Tensor((4,))");
  EXPECT_EQ(inferred("multiply", {tensor({4}), number(2.0)}), "Tensor((4,), \"float32\")");
  // The sum of two tensors whose shape is the variable `s`, which holds a whole shape, also has shape `s`.
  Ref<Var> s = Var::make("s", ShapeType::make_unknown(2));
  Expr x = variable(TensorType::make_with_shape(s, DType::float_(32)));
  Type sum = call_op("add", {x, x})->type;
  EXPECT_EQ(find<TensorType>(sum)->shape, Expr(s));
}

TEST(BinaryOps, RefuseWhatDoesNotFit) {
  EXPECT_EQ(failure("subtract", {tensor({2}), tensor({2}, DType::int_(32))}), "E0304");
  EXPECT_EQ(failure("subtract", {tensor({2}), tensor({3})}), "E0303");
  EXPECT_EQ(failure("subtract", {tensor({2}), shape_of_ints({2})}), "E0201");
  EXPECT_EQ(failure("subtract", {tensor({2})}), "E0202");
}

TEST(BinaryOps, DivideAndTheirRemainders) {
  Expr a = floats({4}, {7, -7, 7, -7}), b = floats({4}, {2, 2, -2, -2});
  EXPECT_EQ(run("divide", {a, b}), (F{3.5, -3.5, -3.5, 3.5}));
  EXPECT_EQ(run("floor_divide", {a, b}), (F{3, -4, -4, 3}));
  EXPECT_EQ(run("mod", {a, b}), (F{1, -1, 1, -1}));
  EXPECT_EQ(run("floor_mod", {a, b}), (F{1, 1, -1, -1}));
  Expr i = ints({2}, {7, -7}), j = ints({2}, {2, 2});
  EXPECT_EQ(run_ints("divide", {i, j}), (std::vector<int64_t>{3, -3}));
  EXPECT_EQ(run_ints("floor_divide", {i, j}), (std::vector<int64_t>{3, -4}));
  EXPECT_EQ(run_ints("mod", {i, j}), (std::vector<int64_t>{1, -1}));
  EXPECT_EQ(run_ints("floor_mod", {i, j}), (std::vector<int64_t>{1, 1}));
}

TEST(BinaryOps, PowersAnglesAndLogarithms) {
  EXPECT_EQ(run("power", {floats({3}, {2, 3, 4}), floats({3}, {3, 0, 0.5})}), (F{8, 1, 2}));
  EXPECT_EQ(run_ints("power", {ints({3}, {2, -3, 5}), ints({3}, {10, 3, -1})}), (std::vector<int64_t>{1024, -27, 0}));
  EXPECT_FLOAT_EQ(run("atan2", {floats({1}, {1}), floats({1}, {-1})})[0], static_cast<float>(2.356194490192345));
  EXPECT_FLOAT_EQ(run("log_add_exp", {floats({1}, {100}), floats({1}, {100})})[0], 100.69315f);
}

TEST(BinaryOps, LogicAndBits) {
  Expr a = bools({4}, {0, 0, 1, 1}), b = bools({4}, {0, 1, 0, 1});
  auto bits = [&](const char* op) { return elements<uint8_t>(*evaluated(op, {a, b}).array()); };
  EXPECT_EQ(bits("logical_and"), (std::vector<uint8_t>{0, 0, 0, 1}));
  EXPECT_EQ(bits("logical_or"), (std::vector<uint8_t>{0, 1, 1, 1}));
  EXPECT_EQ(bits("logical_xor"), (std::vector<uint8_t>{0, 1, 1, 0}));
  EXPECT_EQ(bits("bitwise_xor"), (std::vector<uint8_t>{0, 1, 1, 0}));
  Expr i = ints({2}, {12, -8}), j = ints({2}, {10, 1});
  EXPECT_EQ(run_ints("bitwise_and", {i, j}), (std::vector<int64_t>{8, 0}));
  EXPECT_EQ(run_ints("bitwise_or", {i, j}), (std::vector<int64_t>{14, -7}));
  EXPECT_EQ(run_ints("left_shift", {i, j}), (std::vector<int64_t>{12288, -16}));
  EXPECT_EQ(run_ints("right_shift", {i, j}), (std::vector<int64_t>{0, -4}));
}

TEST(BinaryOps, ComparisonsWithNaNAreFalse) {
  Expr a = floats({2}, {NAN, 1}), b = floats({2}, {1, 1});
  for (const char* op : {"equal", "less_equal", "greater_equal"})
    EXPECT_EQ(elements<uint8_t>(*evaluated(op, {a, b}).array()), (std::vector<uint8_t>{0, 1})) << op;
  EXPECT_EQ(elements<uint8_t>(*evaluated("not_equal", {a, b}).array()), (std::vector<uint8_t>{1, 0}));
}

}  // namespace
}  // namespace sunmao
