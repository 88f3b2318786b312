// Parts printed on their own: types, scalars, statements, bindings, with declarations of free names on request.
#include <gtest/gtest.h>

#include "script/parse.h"
#include "script/print.h"
#include "tests/unit/script/fake_ops.h"

namespace sunmao {
namespace {

const DType kF32 = DType::float_(32), kI32 = DType::int_(32);
const PrintOptions kDeclared{.declare_free = true};

Scalar i32(int64_t value) { return IntImm::make(kI32, value); }
Ref<Buffer> matrix(const char* name, int64_t rows, DType dtype = kF32) {
  return Buffer::make(name, dtype, {i32(rows), i32(rows)});
}
Ref<Var> tensor(const char* name) {
  return Var::make(name, TensorType::make({int_imm(1), SymVar::make("x"), int_imm(3)}, kF32));
}

TEST(PrintParts, Types) {
  Ref<SymVar> a = SymVar::make("a");
  EXPECT_EQ(print(ShapeType::make({int_imm(1), a}), kDeclared), "a = T.int64()\nR.Shape([1, a])");
  EXPECT_EQ(print(ShapeType::make({int_imm(1), a})), "R.Shape([1, a])");
  EXPECT_EQ(print(ShapeType::make_unknown(kUnknownRank)), "R.Shape(ndim=-1)");
  EXPECT_EQ(print(PrimType::make(kF32)), "T.float32");
  EXPECT_EQ(print(CallableType::make({PrimType::make(DType::int_(64))}, AnyType::make(), true)),
            "R.Callable((T.int64,), R.Any, True)");
}

TEST(PrintParts, Marks) {
  const Stmt one = Evaluate::make(i32(1)), two = Evaluate::make(i32(22));
  const Stmt loop = For::make(SymVar::make("i", kI32), i32(4), Seq::make({one, two}));
  PrintOptions options{.marks = {{one.get(), "note"}, {two.get()}}};
  EXPECT_EQ(print(loop, options),
            "for i in range(4):\n    T.evaluate(1)  # note\n    T.evaluate(22)\n    ^^^^^^^^^^^^^^\n");
  Ref<Buffer> b = matrix("A", 4);
  const PrintOptions underlined{.marks = {{b.get()}}};
  EXPECT_EQ(print(AllocBuffer::make(b, one), underlined),
            "A = T.alloc_buffer((4, 4))\n^^^^^^^^^^^^^^^^^^^^^^^^^^\nT.evaluate(1)\n");
}

TEST(PrintParts, Underlines) {
  EXPECT_EQ(underlined("if a:\n    b\n"), "if a:\n^^^^^\n    b\n    ^\n");
  EXPECT_EQ(underlined("\n  "), "\n\n  \n  \n");
  EXPECT_EQ(underlined("\xc3\xa4 + 1"), "\xc3\xa4 + 1\n^^^^^\n");
}

TEST(PrintParts, Handles) {
  EXPECT_EQ(print(Scalar(SymVar::make_handle("p", {})), kDeclared), "p = T.handle()\np");
  EXPECT_EQ(print(Scalar(SymVar::make_handle("p", {kF32, "local"})), kDeclared),
            "p = T.handle(\"float32\", \"local\")\np");
  EXPECT_EQ(print(Scalar(SymVar::make_handle("p", {DType(), "shared"})), kDeclared),
            "p = T.handle(storage_scope=\"shared\")\np");
}

TEST(PrintParts, ScalableVectors) {
  EXPECT_EQ(print(Broadcast::make(i32(0), {4, true})), "T.Broadcast(0, T.vscale() * 4)");
  Ref<Buffer> b = matrix("A", 4);
  EXPECT_EQ(print(BufferLoad::make(b, {i32(1), Ramp::make(i32(0), i32(1), {4, true})})), "A[1, 0:T.vscale() * 4]");
}

TEST(PrintParts, Scalars) {
  EXPECT_EQ(print(int_imm(3)), "T.int64(3)");
  EXPECT_EQ(print(i32(3)), "3");
  EXPECT_EQ(print(StringImm::make("text")), "\"text\"");
  Ref<SymVar> a = SymVar::make("a", kI32);
  EXPECT_EQ(print(Scalar(a + i32(1)), kDeclared), "a = T.int32()\na + 1");
  EXPECT_EQ(print(Ramp::make(a, i32(1), 4)), "T.Ramp(a, 1, 4)");
  Ref<Buffer> b = matrix("A", 128, DType::float_(16));
  EXPECT_EQ(print(BufferLoad::make(b, {i32(1), Ramp::make(i32(0), i32(2), 4)}), kDeclared),
            "A = T.Buffer((128, 128), \"float16\")\nA[1, 0:8:2]");
  EXPECT_EQ(print(Range{i32(2), i32(8)}), "I.Range(2, 10)");
  EXPECT_EQ(print(IterVar{a, {i32(0), i32(8)}, IterKind::Reduce}),
            "T.iter_var(a, T.Range(0, 8), \"CommReduce\", \"\")");
}

TEST(PrintParts, Buffers) {
  Ref<Buffer> b = matrix("src", 128);
  EXPECT_EQ(print(b, kDeclared), "src = T.Buffer((128, 128))\nsrc");
  BufferRegion region{b, {{i32(64), i32(64)}, {i32(0), i32(1)}}};
  EXPECT_EQ(print(region, kDeclared), "src = T.Buffer((128, 128))\nsrc[64:128, 0]");
  EXPECT_EQ(print(MatchBufferRegion{matrix("view", 64), region}), "view = T.match_buffer(src[64:128, 0], (64, 64))");
}

TEST(PrintParts, Statements) {
  Ref<SymVar> v = SymVar::make("v", kI32);
  Scalar small = Binary::make(BinaryOp::Lt, v, i32(10));
  EXPECT_EQ(print(While::make(small, Evaluate::make(i32(0))), kDeclared),
            "v = T.int32()\nwhile v < 10:\n    T.evaluate(0)\n");
  EXPECT_EQ(print(While::make(small, Evaluate::make(i32(0))), {.indent_spaces = 2}),
            "while v < 10:\n  T.evaluate(0)\n");
  EXPECT_EQ(print(Assert::make_of_kind("ValueError", small, "too large")),
            "assert v < 10, (\"ValueError\", [\"too large\"])\n");
  EXPECT_EQ(print(Bind::make(v, i32(4), Evaluate::make(v))), "v: T.let[T.int32] = 4\nT.evaluate(v)\n");
  EXPECT_EQ(print(Evaluate::make(ScalarCall::make("ret", kI32, {i32(5)}))), "return 5\n");
  Stmt nest = For::make(v, i32(4), For::make(SymVar::make("w", kI32), i32(8), Evaluate::make(v)));
  EXPECT_EQ(print(nest), "for v, w in T.grid(4, 8):\n    T.evaluate(v)\n");
  EXPECT_EQ(print(nest, {.syntax_sugar = false}),
            "for v in range(4):\n    for w in range(8):\n        T.evaluate(v)\n");
}

// A local buffer of one element is printed as a scalar variable when every access has the constant index 0.
TEST(PrintParts, Cells) {
  Ref<Buffer> x = Buffer::make("x", kI32, {i32(1)}, {.scope = "local"});
  Stmt store = BufferStore::make(x, BufferLoad::make(x, {i32(0)}), {i32(0)});
  EXPECT_EQ(print(AllocBuffer::make(x, store)), "x: T.int32\nx = x\n");
  Stmt other = BufferStore::make(x, i32(1), {SymVar::make("i", kI32)});
  EXPECT_EQ(print(AllocBuffer::make(x, Seq::make({store, other}))),
            "x = T.alloc_local((1,), \"int32\")\nx[0] = x[0]\nx[i] = 1\n");
}

TEST(PrintParts, Expressions) {
  Ref<Var> a = tensor("a");
  EXPECT_EQ(print(Expr(a), kDeclared), "x = T.int64()\na: R.Tensor((1, x, 3), dtype=\"float32\")\na");
  EXPECT_EQ(print(Expr(Tuple::make({a, PrimValue::make(int_imm(1))}))), "(a, 1)");
  Ref<Var> r = tensor("R");
  Binding b{tensor("b"), Call::make(fake_ops().find("nn.relu"), {r}), nullptr, {}};
  EXPECT_EQ(print(b), "b: R.Tensor((1, x, 3), dtype=\"float32\") = R.nn.relu(R_1)\n");
  Ref<Var> inner = Var::make_dataflow("lv", a->type);
  Ref<BindingBlock> block =
      BindingBlock::make_dataflow({{inner, Call::make(fake_ops().find("nn.relu"), {a}), nullptr, {}},
                                   {b.var, Call::make(fake_ops().find("nn.relu"), {inner}), nullptr, {}}});
  EXPECT_EQ(print(block),
            "with R.dataflow():\n    lv: R.Tensor((1, x, 3), dtype=\"float32\") = R.nn.relu(a)\n"
            "    b: R.Tensor((1, x_1, 3), dtype=\"float32\") = R.nn.relu(lv)\n    R.output(b)\n");
}

TEST(PrintParts, BranchesThatNothingBinds) {
  Type type = TensorType::make({int_imm(2)}, kF32);
  Ref<Var> c = Var::make("c", TensorType::make({}, DType::bool_())), x = Var::make("x", type), y = Var::make("y", type);
  Ref<Var> z = Var::make("z", type), both = Var::make("both", type);
  Ref<Op> add = fake_ops().find("add");
  Ref<SeqExpr> then_side = SeqExpr::make({BindingBlock::make({{z, Call::make(add, {x, both}), nullptr, {}}})}, Expr(z));
  Ref<SeqExpr> else_side = SeqExpr::make({}, Call::make(add, {both, y}));
  EXPECT_EQ(print(If::make(c, then_side, else_side), kDeclared),
            "c: R.Tensor((), dtype=\"bool\")\n"
            "both: R.Tensor((2,), dtype=\"float32\")\n"
            "if c:\n"
            "    x: R.Tensor((2,), dtype=\"float32\")\n"
            "    z: R.Tensor((2,), dtype=\"float32\") = R.add(x, both)\n"
            "    z\n"
            "else:\n"
            "    y: R.Tensor((2,), dtype=\"float32\")\n"
            "    R.add(both, y)");
}

TEST(PrintParts, NamesTheModuleAsAsked) {
  Module module = parse_module(Source::make("m.py",
                                            "@I.ir_module\nclass M:\n    @R.function\n    def f(x: R.Tensor) -> "
                                            "R.Tensor:\n        y = M.f(x)\n        return y\n"),
                               fake_ops());
  EXPECT_NE(print(module, {.module_alias = ""}).find("= Module.f(x)"), std::string::npos);
  EXPECT_NE(print(module, {.module_alias = "mod"}).find("mod = Module\n"), std::string::npos);
}

TEST(PrintParts, CallsForTheirEffectHaveNoName) {
  Module module = parse_module(Source::make("m.py",
                                            "@R.function(pure=False)\ndef f(x: R.Tensor):\n    y = R.print(x, "
                                            "format=\"a\")\n    z = R.print(x)\n    return (x, z)\n"),
                               fake_ops());
  std::string text = print(module);
  EXPECT_NE(text.find("\n        R.print(x, format=R.str(\"a\"))\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\n        z: R.Tuple = R.print(x)\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace sunmao
