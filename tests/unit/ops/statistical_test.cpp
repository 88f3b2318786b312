#include <cmath>

#include "tests/unit/ops/op_case.h"

namespace sunmao {
namespace {

TEST(StatisticalOps, Infer) {
  Ref<SymVar> a = SymVar::make("a");
  Expr x = variable(TensorType::make({a, int_imm(3)}, DType::float_(32)));
  EXPECT_EQ(inferred("min", {x}, axis(1)), "Tensor((a,), \"float32\")");
  EXPECT_EQ(inferred("prod", {x}, {{"keepdims", true}}), "Tensor((1, 1), \"float32\")");
  EXPECT_EQ(inferred("std", {variable(unknown_type(4))}, {{"axis", AttrValue::ints({1, 2})}}),
            "Tensor(ndim=2, \"float32\")");
  EXPECT_EQ(inferred("variance", {variable(unknown_type())}), "Tensor((), \"float32\")");
  EXPECT_EQ(inferred("median", {x}, axis(1)), "Tuple(Tensor((a,), \"float32\"), Tensor((a,), \"int64\"))");
  EXPECT_EQ(inferred("cumsum", {x}), "Tensor((a * 3,), \"float32\")");
  EXPECT_EQ(inferred("cumprod", {x}, {{"axis", 0}, {"dtype", "int32"}}), "Tensor((a, 3), \"int32\")");
  EXPECT_EQ(failure("cumsum", {x}, axis(2)), "E0203");
  EXPECT_EQ(failure("std", {tensor({2}, DType::int_(8))}), "E0306");
  EXPECT_EQ(failure("min", {tensor({2})}, {{"axis", AttrValue::ints({0, -1})}}), "E0203");
}

TEST(StatisticalOps, Values) {
  Expr x = floats({2, 3}, {1, 2, 3, 4, 5, 9});
  EXPECT_EQ(run("min", {x}, axis(1)), (F{1, 4}));
  EXPECT_EQ(run("prod", {x}, axis(0)), (F{4, 10, 27}));
  EXPECT_EQ(run("variance", {floats({2}, {1, 3})}), (F{1}));
  EXPECT_EQ(run("std", {floats({2, 2}, {1, 3, 0, 4})}, axis(1)), (F{1, 2}));
  EXPECT_EQ(run("cumsum", {x}, axis(1)), (F{1, 3, 6, 4, 9, 18}));
  EXPECT_EQ(run("cumsum", {x}), (F{1, 3, 6, 10, 15, 24}));
  EXPECT_EQ(run("cumsum", {x}, {{"axis", 1}, {"exclusive", true}}), (F{0, 1, 3, 0, 4, 9}));
  EXPECT_EQ(run("cumprod", {x}, axis(0)), (F{1, 2, 3, 4, 10, 27}));
}

TEST(SearchOps, InferAndEvaluate) {
  EXPECT_EQ(inferred("argmax", {tensor({2, 3})}, axis(1)), "Tensor((2,), \"int64\")");
  EXPECT_EQ(inferred("argmin", {variable(unknown_type(3))}, {{"axis", 0}, {"keepdims", true}}),
            "Tensor(ndim=3, \"int64\")");
  EXPECT_EQ(inferred("argmax", {variable(unknown_type())}), "Tensor((), \"int64\")");
  EXPECT_EQ(failure("argmax", {tensor({2})}, axis(1)), "E0203");
  Expr x = floats({2, 3}, {1, 5, 5, 7, 2, 2});
  EXPECT_EQ(run_ints("argmax", {x}, axis(1)), (I{1, 0}));
  EXPECT_EQ(run_ints("argmin", {x}, {{"axis", 1}, {"keepdims", true}}), (I{0, 1}));
  EXPECT_EQ(run_ints("argmax", {x}), (I{3}));
  EXPECT_EQ(inferred("bucketize", {tensor({2}), tensor({3})}, {{"out_int32", true}}), "Tensor((2,), \"int32\")");
  EXPECT_EQ(failure("bucketize", {tensor({2}), tensor({3, 1})}), "E0307");
  Expr borders = floats({3}, {1, 3, 5});
  EXPECT_EQ(run_ints("bucketize", {floats({3}, {0, 3, 9}), borders}), (I{0, 1, 3}));
  EXPECT_EQ(run_ints("bucketize", {floats({3}, {0, 3, 9}), borders}, {{"right", true}}), (I{0, 2, 3}));
  EXPECT_EQ(run_ints("bucketize", {floats({1}, {NAN}), borders}), (I{3}));
}

TEST(SortingOps, InferAndEvaluate) {
  EXPECT_EQ(inferred("sort", {variable(unknown_type(2))}), "Tensor(ndim=2, \"float32\")");
  EXPECT_EQ(inferred("argsort", {tensor({2, 3})}, {{"dtype", "int64"}}), "Tensor((2, 3), \"int64\")");
  EXPECT_EQ(inferred("topk", {tensor({2, 3})}, {{"k", 2}}),
            "Tuple(Tensor((2, 2), \"float32\"), Tensor((2, 2), \"int32\"))");
  EXPECT_EQ(failure("sort", {tensor({2})}, axis(1)), "E0203");
  EXPECT_EQ(failure("topk", {tensor({2})}, {{"ret_type", "x"}}), "E0203");
  Expr x = floats({2, 3}, {3, 1, 2, 5, 5, 4});
  EXPECT_EQ(run("sort", {x}), (F{1, 2, 3, 4, 5, 5}));
  EXPECT_EQ(run("sort", {x}, {{"axis", 0}, {"descending", true}}), (F{5, 5, 4, 3, 1, 2}));
  EXPECT_EQ(run_ints("argsort", {x}, {{"dtype", "int64"}}), (I{1, 2, 0, 2, 0, 1}));
  Value top = evaluated("topk", {x}, {{"k", 2}, {"dtype", "int64"}});
  EXPECT_EQ(field(top, 0), (F{3, 2, 5, 5}));
  EXPECT_EQ(elements<int64_t>(*(*top.tuple())[1].array()), (I{0, 2, 0, 1}));
  F with_nan = run("sort", {floats({3}, {NAN, 1, 0})});
  EXPECT_EQ(with_nan[0], 0);
  EXPECT_TRUE(std::isnan(with_nan[2]));
}

TEST(SetOps, Infer) {
  EXPECT_EQ(inferred("unique", {tensor({2, 3})}), "Tensor(ndim=1, \"float32\")");
  EXPECT_EQ(inferred("unique", {tensor({2, 3})}, {{"axis", 1}, {"return_counts", true}}),
            "Tuple(Tensor(ndim=2, \"float32\"), Tensor(ndim=1, \"int64\"))");
  EXPECT_EQ(failure("unique", {tensor({2, 3})}, axis(2)), "E0203");
  EXPECT_EQ(inferred("nonzero", {tensor({2, 3})}), "Tensor(ndim=2, \"int64\")");
}

TEST(QuantiseOps, InferAndEvaluate) {
  Expr x = tensor({2, 3}), s = tensor({3}), z = tensor({3}, DType::int_(8));
  EXPECT_EQ(inferred("quantize", {x, s, z}), "Tensor((2, 3), \"int8\")");
  EXPECT_EQ(inferred("dequantize", {tensor({2, 3}, DType::uint(8)), s, z}), "Tensor((2, 3), \"float32\")");
  EXPECT_EQ(failure("quantize", {x, s, z}, {{"out_dtype", "float32"}}), "E0306");
  EXPECT_EQ(failure("quantize", {tensor({2, 3}, DType::int_(8)), s, z}), "E0306");
  EXPECT_EQ(failure("quantize", {x, s, z}, axis(2)), "E0203");
  EXPECT_EQ(failure("quantize", {x, tensor({3, 1}), z}), "E0307");
  EXPECT_EQ(failure("quantize", {x, tensor({2}), z}), "E0309");
  EXPECT_EQ(failure("quantize", {tensor({}), tensor({2}), z}), "E0309");
  Expr zero = integers<int8_t>(DType::int_(8), {}, {3});
  Value q = evaluated("quantize", {floats({3}, {-1000, 1, 0.25}), floats({}, {0.5}), zero});
  EXPECT_EQ(elements<int8_t>(*q.array()), (std::vector<int8_t>{-128, 5, 3}));
  Expr quantised = integers<int8_t>(DType::int_(8), {2}, {5, -128});
  EXPECT_EQ(run("dequantize", {quantised, floats({}, {0.5}), zero}), (F{1, -65.5}));
}

TEST(SamplingOps, TheSampleFallsIntoItsClass) {
  Expr prob = floats({1, 3}, {0.2f, 0.3f, 0.5f}), u = floats({3, 1}, {0.1f, 0.4f, 0.9f}),
       rows = ints({3, 1}, {0, 0, 0});
  EXPECT_EQ(run_ints("multinomial_from_uniform", {prob, u, rows}), (I{0, 1, 2}));
  EXPECT_EQ(inferred("multinomial_from_uniform", {tensor({3, 5}), tensor({6, 1}), tensor({6, 1}, DType::int_(64))},
                     {{"dtype", "int32"}}),
            "Tensor((6, 1), \"int32\")");
  EXPECT_EQ(failure("multinomial_from_uniform", {prob, rows, rows}), "E0306");
  EXPECT_EQ(failure("multinomial_from_uniform", {prob, u, u}), "E0306");
  EXPECT_EQ(failure("multinomial_from_uniform", {tensor({3}), u, rows}), "E0307");
  EXPECT_EQ(failure("multinomial_from_uniform", {prob, tensor({2, 1}), rows}), "E0309");
}

}  // namespace
}  // namespace sunmao
