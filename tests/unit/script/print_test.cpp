// Exact output of the printer, and its guarantees on size.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "ir/equal.h"
#include "loop/builder.h"
#include "script/parse.h"
#include "script/print.h"
#include "tests/unit/effort.h"
#include "tests/unit/script/fake_ops.h"

namespace sunmao {
namespace {

using testing::HasSubstr;

TEST(Print, WritesTodaysSpellingThatOlderReadersTake) {
  Module module = read(R"(
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), w: R.Tensor(("n * 2",), "float32")) -> R.Tuple(R.Tensor(("n", 4), "float32"), R.Object):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            lv = R.add(x, R.const(1, "float32"))
            gv = R.call_tir(M.kernel, (lv,), out_sinfo=R.Tensor((n, 4), "float32"))
            R.output(gv)
        return (gv, x)

    @T.prim_func(private=True)
    def kernel(a: T.handle, B: T.Buffer((T.int64(2), 4), "float32")):
        n = T.int64()
        A = T.match_buffer(a, (n, 4))
        for i, j in T.grid(n, 4):
            with T.block("b"):
                vi, vj = T.axis.remap("SS", [i, j])
                A[vi, vj] = 1.0
)");
  EXPECT_EQ(print(module), R"(# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def kernel(a: T.handle, B: T.Buffer((T.int64(2), 4), "float32")):
        n = T.int64()
        A = T.match_buffer(a, (n, 4))
        # with T.sblock("root"):
        for i, j in T.grid(n, 4):
            with T.sblock("b"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads()
                T.writes(A[vi, vj])
                A[vi, vj] = T.float32(1.0)

    @R.function
    def main(x: R.Tensor(("n", 4), dtype="float32"), w: R.Tensor(("n * 2",), dtype="float32")) -> R.Tuple(R.Tensor(("n", 4), dtype="float32"), R.Tensor(("n", 4), dtype="float32")):
        R.func_attr({"num_input": 1})
        n = T.int64()
        cls = Module
        with R.dataflow():
            lv: R.Tensor((n, 4), dtype="float32") = R.add(x, R.const(1.0, "float32"))
            gv = R.call_tir(cls.kernel, (lv,), out_ty=R.Tensor((n, 4), dtype="float32"))
            R.output(gv)
        return (gv, x)
)");
}

TEST(Print, ReadsEscapesAsPythonDoes) {
  const std::string text =
      print(read("@R.function\ndef main(x: R.Tensor((2,), \"float32\")):\n"
                 "    R.func_attr({\"a\": \"\\101\\60z\\0\\x41\", \"b\": \"\\1234\"})\n    return x\n"));
  EXPECT_THAT(text, HasSubstr("\"a\": \"A0z\\x00A\""));
  EXPECT_THAT(text, HasSubstr("\"b\": \"S4\""));
}

TEST(Print, WritesNumbersOfTargetsAsJsonDoes) {
  const std::string text =
      print(read("@I.ir_module\nclass M:\n"
                 "    I.module_global_infos({\"vdevice\": [I.vdevice({\"kind\": \"cuda\", \"a\": 0x10, \"b\": 1_000, "
                 "\"c\": .5})]})\n"
                 "    @R.function\n    def main(x: R.Tensor((2,), \"float32\", \"cuda\")):\n        return x\n"));
  EXPECT_THAT(text, HasSubstr(R"(\"a\": 16, \"b\": 1000, \"c\": 0.5)"));
}

TEST(Print, LeavesTypesOutWhereTheyAreKnown) {
  Module module = read(
      "@R.function\ndef main(x: R.Tensor((2,), \"float32\")):\n    y = R.add(x, x)\n    z: R.Tensor = R.add(x, y)\n    "
      "return z\n");
  std::string text = print(module, {.show_types = false});
  EXPECT_THAT(text, HasSubstr("\n        y = R.add(x, x)\n"));
  EXPECT_THAT(text, HasSubstr("\n        z: R.Tensor = R.add(x, y)\n"));
}

TEST(Print, WritesTypesAndScalarsAlone) {
  Ref<SymVar> n = SymVar::make("n");
  EXPECT_EQ(print(TensorType::make({n, n * int_imm(2)}, DType::float_(32))), "R.Tensor((n, n * 2), dtype=\"float32\")");
  EXPECT_EQ(print(Scalar((n + int_imm(1)) * int_imm(2))), "(n + 1) * 2");
  EXPECT_EQ(print(Scalar(n - (n - int_imm(1)))), "n - (n - 1)");
  EXPECT_EQ(print(FloatImm::make(DType::float_(32), std::numeric_limits<double>::infinity())), "T.float32(\"inf\")");
  EXPECT_EQ(print(Expr(ShapeExpr::make({n, int_imm(3)}))), "R.shape([n, 3])");
  EXPECT_EQ(print(Evaluate::make(IntImm::make(DType::int_(32), 0))), "T.evaluate(0)\n");
}

TEST(Print, KeepsLargeConstantsBesideTheText) {
  std::vector<float> values(17, 0.5f);
  Array data = Array::from_floats({17}, values);
  Ref<Var> x = Var::make("x", TensorType::make({int_imm(17)}, DType::float_(32)));
  Ref<Op> add = fake_ops().find("add");
  Expr constant = Constant::make(data);
  Ref<Function> f = Function::make({x}, SeqExpr::make({}, Call::make(add, {Call::make(add, {x, constant}), constant})),
                                   nullptr, true);
  Module module = Module().with_function("main", f);
  PrintResult printed = print_with_constants(module);
  EXPECT_THAT(printed.text,
              HasSubstr("R.add(R.add(x, metadata[\"relax.expr.Constant\"][0]), metadata[\"relax.expr.Constant\"][0])"));
  ASSERT_EQ(printed.constants.size(), 1u) << "one array, however often it is used";
  EXPECT_TRUE(structural_equal(module, read(printed.text, {.constants = printed.constants})));
}

// Attributes of loop-level functions may hold constants too.
TEST(Print, KeepsConstantsOfLoopsBesideTheText) {
  Expr large = Constant::make(Array::from_floats({17}, std::vector<float>(17, 0.5f)));
  Expr small = Constant::make(Array::from_floats({2}, std::vector<float>(2, 0.5f)));
  Attrs attrs({{"global_symbol", AttrValue("f")}, {"large", AttrValue(large)}, {"small", AttrValue(small)}});
  Module module = Module().with_function(
      "f", PrimFunc::make({}, Evaluate::make(IntImm::make(DType::int_(32), 0)), std::move(attrs)));
  PrintResult printed = print_with_constants(module);
  EXPECT_THAT(printed.text,
              HasSubstr("\"large\": metadata[\"relax.expr.Constant\"][0], \"small\": R.const([0.5, 0.5]"));
  ASSERT_EQ(printed.constants.size(), 1u);
  EXPECT_EQ(first_difference(module, read(printed.text, {.constants = printed.constants})), "") << printed.text;
}

TEST(Print, KeepsEveryNaN) {
  ArrayBuilder builder(DType::float_(32), {2});
  builder.as<uint32_t>()[0] = 0x7fc00000u;
  builder.as<uint32_t>()[1] = 0xffc00001u;  // text cannot express this NaN
  Ref<Function> f = Function::make({}, SeqExpr::make({}, Constant::make(std::move(builder).finish())), nullptr, true);
  Module module = Module().with_function("main", f);
  PrintResult printed = print_with_constants(module);
  EXPECT_EQ(printed.constants.size(), 1u);
  EXPECT_TRUE(structural_equal(module, read(printed.text, {.constants = printed.constants})));
}

TEST(Print, WhatKernelBuilderMakesReadsBack) {
  Ref<SymVar> n = SymVar::make("n");
  KernelBuilder k("matmul");
  Ref<Buffer> a = k.input("A", TensorType::make({n, int_imm(8)}, DType::float_(32)));
  Ref<Buffer> b = k.input("B", TensorType::make({int_imm(8), n * int_imm(4)}, DType::float_(32)));
  Ref<Buffer> c = k.output("C", TensorType::make({n, n * int_imm(4)}, DType::float_(32)));
  Ref<Buffer> t = k.alloc("T", DType::float_(32), {n, n * int_imm(4)});
  KernelBuilder::Reduction sum{constant(DType::float_(32), 0), [](const Scalar& x, const Scalar& y) { return x + y; }};
  k.reduce(t, "matmul", {int_imm(8)}, sum,
           [&](const Indices& s, const Indices& r) { return load(a, {s[0], r[0]}) * load(b, {r[0], s[1]}); });
  k.compute(c, "relu", [&](const Indices& at) { return max(load(t, at), constant(DType::float_(32), 0)); });
  k.attr("op_pattern", 4);
  Module module = Module().with_function("matmul", std::move(k).finish());
  std::string text = print(module);
  Module again = read(text);
  EXPECT_EQ(first_difference(module, again), "") << text;
  EXPECT_EQ(print(again), text);
}

// A scalar kernel is a block without axes in the root block, which must then be printed.
TEST(Print, KernelsOfNoDimensionsReadBack) {
  KernelBuilder k("one");
  Ref<Buffer> c = k.output("C", TensorType::make({}, DType::float_(32)));
  k.compute(c, "one", [&](const Indices&) { return constant(DType::float_(32), 1); });
  Module module = Module().with_function("one", std::move(k).finish());
  EXPECT_EQ(first_difference(module, read(print(module))), "") << print(module);
}

TEST(Print, SplitsNeighbouringBlocks) {
  Type type = TensorType::make({int_imm(2)}, DType::float_(32));
  Ref<Var> x = Var::make("x", type), y = Var::make("x", type), z = Var::make("x", type);
  Ref<Op> relu = fake_ops().find("nn.relu");
  std::vector<Ref<BindingBlock>> blocks{BindingBlock::make({{y, Call::make(relu, {x}), nullptr, {}}}),
                                        BindingBlock::make({{z, Call::make(relu, {y}), nullptr, {}}})};
  Module module = Module().with_function("main", Function::make({x}, SeqExpr::make(std::move(blocks), z), type, true));
  EXPECT_EQ(first_difference(module, read(print(module))), "") << print(module);
}

TEST(Print, DeepModelsAreOrdinary) {
  Type type = TensorType::make({SymVar::make("n"), int_imm(4)}, DType::float_(32));
  Ref<Var> x = Var::make("x", type);
  Ref<Op> relu = fake_ops().find("nn.relu");
  std::vector<Binding> bindings;
  Ref<Var> last = x;
  const int count = is_in_part() ? 5000 : 100000;
  for (int i = 0; i < count; ++i) {
    Ref<Var> next = Var::make("lv", type);
    bindings.push_back({next, Call::make(relu, {last}), nullptr, {}});
    last = next;
  }
  Module module = Module().with_function(
      "main", Function::make({x}, SeqExpr::make({BindingBlock::make(std::move(bindings))}, last), type, true));
  std::string text = print(module);
  Module again = read(text);
  EXPECT_EQ(first_difference(module, again), "");
  EXPECT_EQ(print(again), text);
}

}  // namespace
}  // namespace sunmao
