#include <cmath>

#include "tests/unit/ops/op_case.h"

namespace sunmao {
namespace {

TEST(UnaryOps, KeepTheType) {
  Ref<SymVar> n = SymVar::make("n");
  Expr x = variable(TensorType::make({n, int_imm(3)}, DType::float_(32), VDevice::make("llvm")));
  EXPECT_EQ(call_op("cosh", {x})->type, x->type);
  EXPECT_EQ(inferred("abs", {tensor({2}, DType::int_(8))}), "Tensor((2,), \"int8\")");
  EXPECT_EQ(inferred("isnan", {variable(unknown_type(2))}), "Tensor(ndim=2, \"bool\")");
  EXPECT_EQ(inferred("clip", {tensor({2}), number(0.0), number(1.0)}), "Tensor((2,), \"float32\")");
}

TEST(UnaryOps, RefuseWhatDoesNotFit) {
  EXPECT_EQ(failure("tan", {tensor({2}, DType::int_(32))}), "E0306");
  EXPECT_EQ(failure("abs", {shape_of_ints({2})}), "E0201");
  EXPECT_EQ(failure("clip", {tensor({2}), tensor({}), number(1.0)}), "E0201");
  EXPECT_EQ(failure("abs", {}), "E0202");
}

TEST(UnaryOps, FunctionsAtKnownPlaces) {
  struct Case {
    const char* op;
    float at, value;
  };
  for (const Case& c : {Case{"acos", 0, 1.5707964f},
                        {"acosh", 1, 0},
                        {"asin", 1, 1.5707964f},
                        {"asinh", 1, 0.8813736f},
                        {"atan", 1, 0.7853982f},
                        {"atanh", 0.5f, 0.5493061f},
                        {"cos", 0, 1},
                        {"cosh", 1, 1.5430806f},
                        {"erf", 1, 0.8427008f},
                        {"exp", 1, 2.7182817f},
                        {"log", 10, 2.3025851f},
                        {"rsqrt", 4, 0.5f},
                        {"sigmoid", 0, 0.5f},
                        {"sin", 1, 0.8414710f},
                        {"sinh", 1, 1.1752012f},
                        {"sqrt", 9, 3},
                        {"tan", 1, 1.5574077f},
                        {"tanh", 1, 0.7615942f}})
    EXPECT_FLOAT_EQ(run(c.op, {floats({1}, {c.at})})[0], c.value) << c.op;
}

TEST(UnaryOps, RoundingAndSigns) {
  Expr x = floats({5}, {-2.5, -1.4f, 0, 1.5, 2.5});
  EXPECT_EQ(run("round", {x}), (F{-2, -1, 0, 2, 2}));
  EXPECT_EQ(run("floor", {x}), (F{-3, -2, 0, 1, 2}));
  EXPECT_EQ(run("ceil", {x}), (F{-2, -1, 0, 2, 3}));
  EXPECT_EQ(run("trunc", {x}), (F{-2, -1, 0, 1, 2}));
  EXPECT_EQ(run("sign", {x}), (F{-1, -1, 0, 1, 1}));
  EXPECT_EQ(run("abs", {x}), (F{2.5, 1.4f, 0, 1.5, 2.5}));
  EXPECT_EQ(run("square", {x})[0], 6.25f);
  EXPECT_TRUE(std::isnan(run("sign", {floats({1}, {NAN})})[0]));
  EXPECT_EQ(run_ints("floor", {ints({1}, {3})}), (std::vector<int64_t>{3}));
  EXPECT_EQ(run("clip", {x, number(-1.0), number(2.0)}), (F{-1, -1, 0, 1.5, 2}));
}

TEST(UnaryOps, TestsOfNumbers) {
  Expr x = floats({3}, {NAN, INFINITY, 1});
  auto bits = [&](const char* op) { return elements<uint8_t>(*evaluated(op, {x}).array()); };
  EXPECT_EQ(bits("isnan"), (std::vector<uint8_t>{1, 0, 0}));
  EXPECT_EQ(bits("isinf"), (std::vector<uint8_t>{0, 1, 0}));
  EXPECT_EQ(bits("isfinite"), (std::vector<uint8_t>{0, 0, 1}));
  EXPECT_EQ(run_ints("bitwise_not", {ints({1}, {5})}), (std::vector<int64_t>{-6}));
  EXPECT_EQ(elements<uint8_t>(*evaluated("logical_not", {bools({2}, {0, 1})}).array()), (std::vector<uint8_t>{1, 0}));
}

TEST(ActivationOps, AtKnownPlaces) {
  Expr x = floats({3}, {-1, 0, 2});
  EXPECT_EQ(run("nn.relu6", {floats({3}, {-1, 3, 9})}), (F{0, 3, 6}));
  EXPECT_EQ(run("nn.leakyrelu", {x}, {{"alpha", 0.5}}), (F{-0.5, 0, 2}));
  EXPECT_NEAR(run("nn.gelu", {x})[2], 1.9544997f, 1e-6);
  EXPECT_NEAR(run("nn.gelu_tanh", {x})[2], 1.9545977f, 1e-6);
  EXPECT_NEAR(run("nn.silu", {x})[2], 1.7615942f, 1e-6);
  EXPECT_NEAR(run("nn.selu", {x})[0], -1.1113307f, 1e-6);
  EXPECT_NEAR(run("nn.softplus", {x})[0], 0.3132617f, 1e-6);
  EXPECT_EQ(run("nn.softplus", {floats({1}, {100})})[0], 100.0f);
  EXPECT_EQ(run("nn.prelu", {floats({1, 2}, {-2, -2}), floats({2}, {0.5, 0.25})}), (F{-1, -0.5}));
}

TEST(ActivationOps, SoftmaxSumsToOneEvenForLargeNumbers) {
  EXPECT_EQ(run("nn.softmax", {floats({2, 2}, {1000, 1000, 0, -INFINITY})}), (F{0.5, 0.5, 1, 0}));
  EXPECT_EQ(run("nn.softmax", {floats({2, 2}, {1, 5, 1, 5})}, axis(0)), (F{0.5, 0.5, 0.5, 0.5}));
  EXPECT_FLOAT_EQ(run("nn.log_softmax", {floats({2}, {0, 0})})[0], -0.6931472f);
  EXPECT_EQ(failure("nn.softmax", {tensor({2, 3})}, axis(2)), "E0203");
  EXPECT_EQ(failure("nn.softmax", {tensor({2, 3}, DType::int_(32))}), "E0306");
  EXPECT_EQ(failure("nn.prelu", {tensor({2, 3}), tensor({3, 1})}), "E0307");
}

}  // namespace
}  // namespace sunmao
