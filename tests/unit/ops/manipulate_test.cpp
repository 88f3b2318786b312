#include "tests/unit/ops/op_case.h"

namespace sunmao {
namespace {

const AttrMap kNone;

Expr symbolic(std::vector<Scalar> dims) { return variable(TensorType::make(std::move(dims), DType::float_(32))); }

TEST(ShapeChangeOps, Infer) {
  Ref<SymVar> a = SymVar::make("a"), b = SymVar::make("b");
  EXPECT_EQ(inferred("expand_dims", {symbolic({a, b})}, list("axis", {-1, 1})), "Tensor((a, 1, b, 1), \"float32\")");
  EXPECT_EQ(inferred("expand_dims", {tensor({2})}, axis(0)), "Tensor((1, 2), \"float32\")");
  EXPECT_EQ(inferred("squeeze", {tensor({2, 1, 3, 1})}), "Tensor((2, 3), \"float32\")");
  EXPECT_EQ(inferred("squeeze", {symbolic({a, int_imm(1), b})}, list("axis", {1})), "Tensor((a, b), \"float32\")");
  EXPECT_EQ(inferred("squeeze", {symbolic({a, int_imm(1)})}), "Tensor(\"float32\")");
  EXPECT_EQ(inferred("squeeze", {tensor({2, 3})}, axis(0)), "Tensor((2, 3), \"float32\")");
  EXPECT_EQ(inferred("flatten", {symbolic({a, b})}), "Tensor((a * b,), \"float32\")");
  EXPECT_EQ(inferred("flatten", {variable(unknown_type())}), "Tensor(ndim=1, \"float32\")");
  EXPECT_EQ(inferred("nn.batch_flatten", {tensor({2, 3, 4})}), "Tensor((2, 12), \"float32\")");
  EXPECT_EQ(inferred("broadcast_to", {tensor({2, 1}), shape_of_ints({4, 2, 3})}), "Tensor((4, 2, 3), \"float32\")");
  EXPECT_EQ(inferred("collapse_sum_to", {tensor({3, 4, 5}), shape_of_ints({4, 1})}), "Tensor((4, 1), \"float32\")");
  EXPECT_EQ(inferred("collapse_sum_like", {tensor({3, 4}), tensor({4})}), "Tensor((4,), \"float32\")");
}

TEST(ShapeOfDims, IsExactWhereSymbolsSayIt) {
  Ref<SymVar> n = SymVar::make("n"), c = SymVar::make("c");
  // A variable that holds a shape of known values is equivalent to the values.
  Expr shape = variable(ShapeType::make({c, int_imm(2)}));
  EXPECT_EQ(inferred("reshape", {symbolic({int_imm(2), c}), shape}), "Tensor((c, 2), \"float32\")");
  // Dimensions are assumed non-negative.
  EXPECT_EQ(inferred("split", {symbolic({Scalar(n) + int_imm(5)})}, list("indices_or_sections", {2, 5})),
            "Tuple(Tensor((2,), \"float32\"), Tensor((3,), \"float32\"), Tensor((n,), \"float32\"))");
  // The size of a split axis is that of the outer axis times the block, whatever the symbol of the inner dimension.
  EXPECT_EQ(inferred("nn.max_pool2d", {symbolic({n, c, int_imm(4), int_imm(4), Scalar(SymVar::make("within"))})},
                     {{"pool_size", AttrValue::ints({2, 2})}, {"layout", "NCHW16c"}, {"out_layout", "NHWC"}}),
            "Tensor((n, 3, 3, c * 16), \"float32\")");
  // Channel counts that cannot be divisible are rejected, symbolic ones too.
  EXPECT_EQ(failure("nn.conv1d",
                    {symbolic({n, int_imm(6), int_imm(8)}),
                     symbolic({Scalar(c) * int_imm(6) + int_imm(4), int_imm(1), int_imm(3)})},
                    {{"groups", 6}}),
            "E0309");
}

TEST(ShapeChangeOps, RefuseWhatDoesNotFit) {
  EXPECT_EQ(failure("expand_dims", {tensor({2})}, axis(2)), "E0203");
  EXPECT_EQ(failure("expand_dims", {tensor({2})}, list("axis", {0, -3})), "E0203");
  EXPECT_EQ(failure("squeeze", {tensor({2, 1})}, axis(2)), "E0203");
  EXPECT_EQ(failure("squeeze", {tensor({1, 1})}, list("axis", {0, -2})), "E0203");
  EXPECT_EQ(failure("nn.batch_flatten", {tensor({2})}), "E0307");
  EXPECT_EQ(failure("broadcast_to", {tensor({2}), tensor({2})}), "E0201");
  EXPECT_EQ(failure("broadcast_to", {tensor({2, 2}), shape_of_ints({2})}), "E0309");
  EXPECT_EQ(failure("broadcast_to", {tensor({2}), shape_of_ints({3})}), "E0303");
  EXPECT_EQ(failure("collapse_sum_to", {tensor({2, 3}), shape_of_ints({2})}), "E0309");
}

TEST(ShapeChangeOps, Values) {
  Expr x = floats({2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(run("expand_dims", {x}, axis(1)), (F{1, 2, 3, 4}));
  EXPECT_EQ(run("squeeze", {floats({1, 2}, {1, 2})}), (F{1, 2}));
  EXPECT_EQ(run("flatten", {x}), (F{1, 2, 3, 4}));
  EXPECT_EQ(run("broadcast_to", {floats({2, 1}, {1, 2}), shape_of_ints({2, 2})}), (F{1, 1, 2, 2}));
  EXPECT_EQ(run("collapse_sum_to", {x, shape_of_ints({2})}), (F{4, 6}));
  EXPECT_EQ(run("collapse_sum_to", {x, shape_of_ints({2, 1})}), (F{3, 7}));
  EXPECT_EQ(run("collapse_sum_like", {x, floats({1, 1}, {0})}), (F{10}));
}

TEST(JoinOps, Infer) {
  Ref<SymVar> a = SymVar::make("a"), b = SymVar::make("b");
  Expr two = Tuple::make({symbolic({a, b}), symbolic({a, int_imm(3)})});
  EXPECT_EQ(inferred("concat", {two}, axis(1)), "Tensor((a, b + 3), \"float32\")");
  EXPECT_EQ(inferred("concat", {Tuple::make({symbolic({a, int_imm(3)}), symbolic({a, b})})}, axis(1)),
            "Tensor((a, 3 + b), \"float32\")");
  EXPECT_EQ(inferred("concat", {Tuple::make({symbolic({a, b}), symbolic({a, b})})}, axis(1)),
            "Tensor((a, b * 2), \"float32\")");
  Expr unknown = Tuple::make({tensor({2, 3}), variable(unknown_type())});
  EXPECT_EQ(inferred("concat", {unknown}, axis(-1)), "Tensor(ndim=2, \"float32\")");
  EXPECT_EQ(inferred("stack", {Tuple::make({tensor({2}), tensor({2})})}, axis(-1)), "Tensor((2, 2), \"float32\")");
  EXPECT_EQ(inferred("split", {tensor({10})}, {{"indices_or_sections", 3}}),
            "Tuple(Tensor((4,), \"float32\"), Tensor((4,), \"float32\"), Tensor((2,), \"float32\"))");
  EXPECT_EQ(inferred("split", {tensor({5})}, {{"indices_or_sections", AttrValue::ints({2, 9})}}),
            "Tuple(Tensor((2,), \"float32\"), Tensor((3,), \"float32\"), Tensor((0,), \"float32\"))");
  EXPECT_EQ(inferred("split", {variable(unknown_type(2))}, {{"indices_or_sections", 2}}),
            "Tuple(Tensor(ndim=2, \"float32\"), Tensor(ndim=2, \"float32\"))");
  EXPECT_EQ(inferred("meshgrid", {Tuple::make({tensor({2}), tensor({3})})}, {{"indexing", "xy"}}),
            "Tuple(Tensor((3, 2), \"float32\"), Tensor((3, 2), \"float32\"))");
}

TEST(JoinOps, RefuseWhatDoesNotFit) {
  auto both = [](Expr a, Expr b) { return Tuple::make({std::move(a), std::move(b)}); };
  EXPECT_EQ(failure("concat", {Tuple::make({})}), "E0202");
  EXPECT_EQ(failure("concat", {both(tensor({2}), tensor({2}, DType::int_(8)))}), "E0304");
  EXPECT_EQ(failure("concat", {both(tensor({2}), tensor({2, 2}))}), "E0307");
  EXPECT_EQ(failure("concat", {both(tensor({2, 2}), tensor({2, 2}))}, {{"axis", AttrValue()}}), "E0307");
  EXPECT_EQ(failure("concat", {both(tensor({2}), tensor({2}))}, axis(1)), "E0203");
  EXPECT_EQ(failure("concat", {both(tensor({2, 3}), tensor({3, 4}))}, axis(1)), "E0309");
  EXPECT_EQ(failure("concat", {tensor({2})}), "");
  EXPECT_EQ(failure("concat", {shape_of_ints({2})}), "E0201");
  EXPECT_EQ(failure("stack", {both(tensor({2}), tensor({3}))}), "E0309");
  EXPECT_EQ(failure("stack", {both(tensor({2}), tensor({2}))}, axis(3)), "E0203");
  EXPECT_EQ(failure("split", {tensor({4})}, {{"indices_or_sections", 0}}), "E0203");
  EXPECT_EQ(failure("split", {tensor({4})}, {{"indices_or_sections", "x"}}), "E0203");
  EXPECT_EQ(failure("split", {tensor({4})}, {{"indices_or_sections", 2}, {"axis", 1}}), "E0203");
  EXPECT_EQ(failure("meshgrid", {both(tensor({2}), tensor({2, 2}))}), "E0307");
  EXPECT_EQ(failure("meshgrid", {both(tensor({2}), tensor({2}))}, {{"indexing", "ab"}}), "E0203");
}

TEST(JoinOps, Values) {
  Expr a = floats({2, 1}, {1, 2}), b = floats({2, 2}, {3, 4, 5, 6});
  EXPECT_EQ(run("concat", {Tuple::make({a, b})}, axis(1)), (F{1, 3, 4, 2, 5, 6}));
  EXPECT_EQ(run("stack", {Tuple::make({floats({2}, {1, 2}), floats({2}, {3, 4})})}, axis(1)), (F{1, 3, 2, 4}));
  Value parts = evaluated("split", {b}, {{"indices_or_sections", 2}, {"axis", 1}});
  EXPECT_EQ(field(parts, 0), (F{3, 5}));
  EXPECT_EQ(field(parts, 1), (F{4, 6}));
  Value grid = evaluated("meshgrid", {Tuple::make({floats({2}, {1, 2}), floats({2}, {3, 4})})});
  EXPECT_EQ(field(grid, 0), (F{1, 1, 2, 2}));
  EXPECT_EQ(field(grid, 1), (F{3, 4, 3, 4}));
}

TEST(RepeatOps, Infer) {
  Ref<SymVar> a = SymVar::make("a");
  EXPECT_EQ(inferred("repeat", {symbolic({a, int_imm(3)})}, {{"repeats", 2}, {"axis", 0}}),
            "Tensor((a * 2, 3), \"float32\")");
  EXPECT_EQ(inferred("repeat", {tensor({2, 3})}, {{"repeats", 2}}), "Tensor((12,), \"float32\")");
  EXPECT_EQ(inferred("tile", {tensor({2, 3})}, list("repeats", {5, 1, 2})), "Tensor((5, 2, 6), \"float32\")");
  EXPECT_EQ(inferred("tile", {variable(unknown_type(1))}, {{"repeats", 2}}), "Tensor(ndim=1, \"float32\")");
  EXPECT_EQ(
      inferred("one_hot", {tensor({2, 2}, DType::int_(32)), number(1.0), number(0.0)}, {{"depth", 3}, {"axis", 1}}),
      "Tensor((2, 3, 2), \"float32\")");
}

TEST(RepeatOps, RefuseWhatDoesNotFit) {
  EXPECT_EQ(failure("repeat", {tensor({2})}, {{"repeats", -1}}), "E0203");
  EXPECT_EQ(failure("repeat", {tensor({2})}, {{"repeats", 2}, {"axis", 1}}), "E0203");
  EXPECT_EQ(failure("tile", {tensor({2})}, list("repeats", {-1})), "E0203");
  EXPECT_EQ(failure("flip", {tensor({2})}, axis(1)), "E0203");
  Expr x = tensor({2, 4}), lengths = tensor({2}, DType::int_(32));
  EXPECT_EQ(failure("reverse_sequence", {x, tensor({2, 1}, DType::int_(32))}), "E0307");
  EXPECT_EQ(failure("reverse_sequence", {x, tensor({2})}), "E0306");
  EXPECT_EQ(failure("reverse_sequence", {x, lengths}, {{"seq_axis", 2}}), "E0203");
  EXPECT_EQ(failure("reverse_sequence", {x, tensor({3}, DType::int_(32))}), "E0309");
  Expr i = tensor({2}, DType::int_(32));
  EXPECT_EQ(failure("one_hot", {tensor({2}), number(1), number(0)}, {{"depth", 3}}), "E0306");
  EXPECT_EQ(failure("one_hot", {i, tensor({}), number(0)}, {{"depth", 3}}), "E0201");
  EXPECT_EQ(failure("one_hot", {i, number(1.0), number(0)}, {{"depth", 3}}), "E0304");
  EXPECT_EQ(failure("one_hot", {i, number(1), number(0)}, {{"depth", 0}}), "E0203");
  EXPECT_EQ(failure("one_hot", {i, number(1), number(0)}, {{"depth", 3}, {"axis", 2}}), "E0203");
}

TEST(RepeatOps, Values) {
  Expr x = floats({2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(run("repeat", {x}, {{"repeats", 2}}), (F{1, 1, 2, 2, 3, 3, 4, 4}));
  EXPECT_EQ(run("repeat", {x}, {{"repeats", 2}, {"axis", 0}}), (F{1, 2, 1, 2, 3, 4, 3, 4}));
  EXPECT_EQ(run("tile", {floats({2}, {1, 2})}, list("repeats", {2, 2})), (F{1, 2, 1, 2, 1, 2, 1, 2}));
  EXPECT_EQ(run("flip", {x}, axis(1)), (F{2, 1, 4, 3}));
  EXPECT_EQ(run("reverse_sequence", {floats({2, 3}, {1, 2, 3, 4, 5, 6}), ints({2}, {2, 3})}), (F{2, 1, 3, 6, 5, 4}));
  EXPECT_EQ(run("one_hot", {ints({2}, {1, 0}), number(1.0), number(0.0)}, {{"depth", 2}}), (F{0, 1, 1, 0}));
}

}  // namespace
}  // namespace sunmao
