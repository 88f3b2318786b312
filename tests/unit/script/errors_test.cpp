// Each error code of the parser: its place and message.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/equal.h"
#include "script/parse.h"
#include "script/print.h"
#include "support/diagnostic.h"
#include "tests/unit/effort.h"
#include "tests/unit/script/fake_ops.h"

namespace sunmao {
namespace {

using testing::HasSubstr;

std::vector<Diagnostic> errors_of(const std::string& script) {
  try {
    parse_module(Source::make("script.py", script), fake_ops());
  } catch (const UserError& error) {
    return error.diagnostics();
  }
  return {};
}

struct Case {
  const char* name;
  const char* code;
  int line, column;
  const char* words;
  const char* script;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

const Case kCases[] = {
    {"StrayCharacter", "E0101", 3, 9, "`$` means nothing here",
     "@R.function\ndef f(x: R.Tensor):\n    y = $x\n    return y\n"},
    {"StringWithoutEnd", "E0101", 3, 27, "the string has no end",
     "@R.function\ndef f(x: R.Tensor):\n    y = R.print(x, format=\"abc\n    return y\n"},
    {"HalfOfACharacter", "E0101", 3, 27, "`\\u` names U+D800",
     "@R.function\ndef f(x: R.Tensor):\n    y = R.print(x, format=\"\\ud800\")\n    return y\n"},
    {"NumberTooLarge", "E0101", 3, 19, "fits in 64 bits",
     "@R.function\ndef f(x: R.Tensor):\n    y = R.clip(x, 99999999999999999999)\n    return y\n"},
    {"WrongSyntax", "E0102", 3, 14, "this bracket is never closed",
     "@R.function\ndef f(x: R.Tensor):\n    y = R.add(x, x\n    return y\n"},
    {"MissingColon", "E0102", 2, 19, "expected `:`", "@R.function\ndef f(x: R.Tensor)\n    return x\n"},
    {"NoBlock", "E0103", 3, 1, "an indented block is missing", "@R.function\ndef f(x: R.Tensor):\nreturn x\n"},
    {"UnevenIndentation", "E0103", 4, 3, "fits none of the blocks",
     "@R.function\ndef f(x: R.Tensor):\n    y = x\n  return y\n"},
    {"ComprehensionIsNoScript", "E0105", 3, 12, "comprehensions",
     "@R.function\ndef f(x: R.Tensor):\n    y = [x for x in x]\n    return y\n"},
    {"LoopInGraphFunction", "E0105", 3, 5, "no loops",
     "@R.function\ndef f(x: R.Tensor):\n    for i in range(3):\n        pass\n    return x\n"},
    {"JumpOutsideLoop", "E0116", 3, 5, "`break` stands in a loop", "@T.prim_func\ndef f(n: T.int32):\n    break\n"},
    {"JumpAtGraphLevel", "E0105", 3, 5, "no loops", "@R.function\ndef f(x: R.Tensor):\n    continue\n    return x\n"},
    {"LoopDownwards", "E0110", 3, 14, "its step is -1",
     "@T.prim_func\ndef f(A: T.Buffer((4,), \"int32\")):\n    for i in range(4, 0, -1):\n        A[i] = 0\n"},
    {"MaskOfOtherLength", "E0316", 3, 5, "its index has 4 lanes",
     "@T.prim_func\ndef f(A: T.Buffer((4,), \"int32\")):\n    A.vstore([0], T.Broadcast(0, 4), "
     "predicate=T.bool(True))\n"},
    {"UnknownLanes", "E0110", 3, 29, "must be an integer",
     "@T.prim_func\ndef f(A: T.Buffer((4,), \"int32\"), n: T.int32):\n    T.evaluate(T.Ramp(0, 1, n))\n"},
    {"MacroTakesTooMuch", "E0108", 5, 15, "`m` takes 1 arguments, got 2",
     "@T.inline\ndef m(x):\n    T.evaluate(x)\n@T.prim_func\ndef f(): m(1, 2)\n"},
    {"UnknownIntrinsic", "E0107", 3, 12, "`T.sqtr` is no intrinsic",
     "@T.prim_func\ndef f(A: T.Buffer((4,), \"float32\")):\n    A[0] = T.sqtr(A[1])\n"},
    {"UnknownBufferAttribute", "E0110", 3, 16, "a buffer has no scalar `size`",
     "@T.prim_func\ndef f(A: T.Buffer((4,), \"int32\")):\n    T.evaluate(A.size)\n"},
    {"IncrementOfNothing", "E0105", 3, 5, "cannot be changed in place",
     "@T.prim_func\ndef f(n: T.int32):\n    n += 1\n"},
    {"PointerIsNoCell", "E0115", 3, 5, "no type of a scalar",
     "@T.prim_func\ndef f(n: T.handle):\n    p: T.handle\n    p = n\n"},
    {"ThreadWithoutCount", "E0108", 3, 10, "a thread and how many",
     "@T.prim_func\ndef f(n: T.int32):\n    tx = T.launch_thread(\"threadIdx.x\")\n"},
    {"ReducerOfOneValue", "E0108", 3, 12, "the lambda has 1 parameters",
     "@T.prim_func\ndef f(n: T.int32):\n    T.attr(T.comm_reducer(lambda x: x, [0]), \"reduce_scope\", 0)\n"},
    {"MacroWithoutArgument", "E0108", 6, 5, "`m` needs `x`",
     "@T.macro\ndef m(x):\n    T.evaluate(x)\n@T.prim_func\ndef f(n: T.int32):\n    m()\n"},
    {"MacroThatReturns", "E0112", 3, 5, "returns nothing",
     "@T.macro\ndef m(x):\n    return x\n@T.prim_func\ndef f(n: T.int32):\n    m(n)\n"},
    {"MacroSeesItsOwnNames", "E0106", 3, 16, "`n` is not defined here",
     "@T.macro\ndef m():\n    T.evaluate(n)\n@T.prim_func\ndef f(n: T.int32):\n    m()\n"},
    {"MacroThatExpandsItself", "E0104", 3, 5, "macros call each other more than 100 levels deep",
     "@T.macro\ndef m():\n    m()\n@T.prim_func\ndef f(n: T.int32):\n    m()\n"},
    {"GraphMacroThatExpandsItself", "E0104", 3, 12, "macros call each other more than 100 levels deep",
     "@R.macro\ndef m(x):\n    return m(R.add(x, x))\n@R.function\ndef f(x: R.Tensor):\n    return m(x)\n"},
    {"DefaultOfParameter", "E0105", 2, 18, "no default values",
     "@T.prim_func\ndef f(n: T.int32 = 3):\n    T.evaluate(n)\n"},
    {"PrivateWithSymbol", "E0109", 2, 5, "`f` is private and states a `global_symbol`",
     "@T.prim_func(private=True)\ndef f(n: T.int32):\n    T.func_attr({\"global_symbol\": \"g\"})\n"},
    {"RemarkTwice", "E0109", 5, 9, "`k` is given twice, and differently",
     "@T.prim_func\ndef f(n: T.int32):\n    with T.sblock(\"b\"):\n        T.sblock_attr({\"k\": 1})\n        "
     "T.sblock_attr({\"k\": 2})\n"},
    {"LaterParameterUnquoted", "E0106", 2, 20, "`n` is not defined here",
     "@T.prim_func\ndef f(A: T.Buffer((n,), \"float32\"), n: T.int32):\n    T.evaluate(n)\n"},
    {"TwoTargets", "E0105", 3, 11, "one binding has one name",
     "@R.function\ndef f(x: R.Tensor):\n    y = z = R.add(x, x)\n    return y\n"},
    {"UnknownName", "E0106", 3, 24, "`weight` is not defined here",
     "@R.function\ndef f(weights: R.Tensor):\n    y = R.add(weights, weight)\n    return y\n"},
    {"UseAfterDataflow", "E0106", 7, 12, "`lv` is not defined here",
     "@R.function\ndef f(x: R.Tensor):\n    with R.dataflow():\n        lv = R.add(x, x)\n        gv = R.add(lv, x)\n  "
     "      R.output(gv)\n    return lv\n"},
    {"UnknownModuleFunction", "E0106", 5, 13, "no function `helpr`",
     "@I.ir_module\nclass M:\n    @R.function\n    def f(x: R.Tensor) -> R.Tensor:\n        y = M.helpr(x)\n        "
     "return y\n    @R.function\n    def helper(x: R.Tensor) -> R.Tensor:\n        return x\n"},
    {"UnknownOp", "E0107", 3, 9, "unknown op `R.nn.rleu`",
     "@R.function\ndef f(x: R.Tensor):\n    y = R.nn.rleu(x)\n    return y\n"},
    {"TooManyArguments", "E0108", 3, 9, "`R.add` takes at most 2 arguments, got 3",
     "@R.function\ndef f(x: R.Tensor):\n    y = R.add(x, x, x)\n    return y\n"},
    {"MissingArgument", "E0108", 3, 9, "`R.add` needs `x2`",
     "@R.function\ndef f(x: R.Tensor):\n    y = R.add(x)\n    return y\n"},
    {"WrongArityOfIntrinsic", "E0108", 3, 12, "`T.max` takes 2 arguments, got 1",
     "@T.prim_func\ndef f(A: T.Buffer((4,), \"int32\")):\n    A[0] = T.max(A[1])\n"},
    {"UnknownKeyword", "E0109", 3, 27, "`R.permute_dims` has no argument named `axis`",
     "@R.function\ndef f(x: R.Tensor):\n    y = R.permute_dims(x, axis=[1, 0])\n    return y\n"},
    {"KeywordTwice", "E0109", 3, 21, "`x2` of `R.add` is given twice",
     "@R.function\ndef f(x: R.Tensor):\n    y = R.add(x, x, x2=x)\n    return y\n"},
    {"WrongKind", "E0110", 3, 30, "`x` is no scalar",
     "@R.function\ndef f(x: R.Tensor):\n    y = R.reshape(x, R.shape(x))\n    return y\n"},
    {"IntegerDivision", "E0110", 3, 12, "leaves open how to round",
     "@T.prim_func\ndef f(A: T.Buffer((4,), \"int32\")):\n    A[0] = A[1] / A[2]\n"},
    {"BadDtype", "E0110", 2, 25, "is no dtype", "@R.function\ndef f(x: R.Tensor((2,), \"float33\")):\n    return x\n"},
    {"FunctionTwice", "E0111", 6, 9, "`f` is defined twice",
     "@I.ir_module\nclass M:\n    @R.function\n    def f(x: R.Tensor): return x\n    @R.function\n    def f(x: "
     "R.Tensor): return x\n"},
    {"ParameterTwice", "E0111", 2, 20, "`x` is named twice",
     "@R.function\ndef f(x: R.Tensor, x: R.Tensor):\n    return x\n"},
    {"ScalarAfterItsDimension", "E0111", 2, 36, "`n` names a dimension of a parameter before it",
     "@R.function\ndef f(x: R.Tensor((\"n\",), \"int8\"), n: T.int64):\n    return x\n"},
    {"DeclaredAsAnotherScalar", "E0113", 3, 8, "`n` is declared as int64, the annotation says",
     "@R.function\ndef f(x: R.Tensor):\n    n: R.Prim(\"float32\") = T.int64()\n    return x\n"},
    {"MacroLeavesNothing", "E0106", 7, 24, "`y` is not defined here",
     "@R.macro\ndef m(x):\n    y = R.add(x, x)\n    return y\n@R.function\ndef f(x: R.Tensor):\n    return "
     "R.add(m(x), y)\n"},
    {"TensorExpressionWithoutPython", "E0107", 3, 9, "`R.emit_te` is a call of Python",
     "@R.function\ndef f(x: R.Tensor):\n    y = R.emit_te(g, x)\n    return y\n"},
    {"NoReturn", "E0112", 2, 5, "`f` returns nothing", "@R.function\ndef f(x: R.Tensor):\n    y = R.add(x, x)\n"},
    {"ReturnInBranch", "E0112", 5, 13, "stands at the end of the function",
     "@R.function\ndef f(c: R.Tensor((), \"bool\"), x: R.Tensor):\n    if c:\n        with R.dataflow():\n            "
     "return x\n    else:\n        y = R.add(x, x)\n    return x\n"},
    {"ResultNotBound", "E0105", 3, 5, "is not bound to a name",
     "@R.function\ndef f(x: R.Tensor((2,), \"float32\")):\n    R.add(x, x)\n    return x\n"},
    {"DimensionOfAnotherType", "E0115", 2, 40, "`n` is of type int32",
     "@R.function\ndef f(n: R.Prim(\"int32\"), x: R.Tensor((\"n\",), \"float32\")):\n    return x\n"},
    {"TwoReturns", "E0112", 4, 5, "nothing may follow `return`",
     "@R.function\ndef f(x: R.Tensor):\n    return x\n    return x\n"},
    {"AnnotationDisagrees", "E0113", 3, 8, "the annotation says Tensor((3,), \"float32\")",
     "@R.function\ndef f(x: R.Tensor((2,), \"float32\")):\n    y: R.Tensor((3,), \"float32\") = R.add(x, x)\n    "
     "return y\n"},
    {"SymbolOfAnotherType", "E0113", 4, 9, "`n` is an int64 already",
     "@R.function\ndef f(x: R.Tensor((\"m\",)), y: R.Tensor((\"n\",))):\n    n = T.int64()\n    n = T.int32()\n    "
     "return x\n"},
    {"SymbolOverAParameter", "E0113", 3, 9, "`n` stands for an int64 already",
     "@T.prim_func\ndef f(n: T.int64):\n    n = T.int32()\n    T.evaluate(n)\n"},
    {"OutputOutside", "E0114", 4, 5, "ends a dataflow block",
     "@R.function\ndef f(x: R.Tensor):\n    y = R.add(x, x)\n    R.output(y)\n    return y\n"},
    {"OutputNotBound", "E0114", 5, 18, "`y` is not bound in this dataflow block",
     "@R.function\ndef f(x: R.Tensor):\n    with R.dataflow():\n        z = R.add(x, x)\n        R.output(y)\n    "
     "return x\n"},
    {"UntypedParameter", "E0115", 2, 7, "parameter `x` has no type", "@R.function\ndef f(x):\n    return x\n"},
    {"RankDisagrees", "E0115", 2, 10, "the shape has 2 dimensions, `ndim` says 3",
     "@R.function\ndef f(x: R.Tensor((2, 3), \"float32\", ndim=3)):\n    return x\n"},
    {"ShapeIsNoNumber", "E0115", 2, 19, "`16` is no shape", "@R.function\ndef f(x: R.Tensor(16)):\n    return x\n"},
    {"WrongNumberOfIndices", "E0116", 3, 7, "`A` has 2 dimensions, indexed with 1",
     "@T.prim_func\ndef f(A: T.Buffer((4, 4), \"int32\")):\n    A[0] = 1\n"},
    {"AxisOutsideBlock", "E0116", 4, 14, "stands directly in a block",
     "@T.prim_func\ndef f(A: T.Buffer((4,), \"int32\")):\n    for i in range(4):\n        vi = T.axis.spatial(4, i)\n  "
     "      A[vi] = 1\n"},
    {"RemapOfNoLoop", "E0116", 4, 37, "takes variables of loops",
     "@T.prim_func\ndef f(A: T.Buffer((4,), \"int32\"), n: T.int32):\n    with T.sblock(\"b\"):\n        vi, vj = "
     "T.axis.remap(\"SS\", [n, n])\n        A[vi] = 1\n"},
    {"NothingToRead", "E0117", 1, 1, "no module and no function", "import tvm\n"},
    {"FunctionWithoutMark", "E0117", 1, 5, "has no mark", "def f(x: R.Tensor):\n    return x\n"},
    {"UnknownDecorator", "E0117", 1, 2, "marks nothing", "@jit\ndef f(x: R.Tensor):\n    return x\n"},
    {"ConstantNotInTable", "E0118", 3, 12, "constant 2 is not in the table, which has 0",
     "@R.function\ndef f(x: R.Tensor):\n    return metadata[\"relax.expr.Constant\"][2]\n"},
    {"RecursionUnstated", "E0119", 5, 13, "does not state its result type",
     "@I.ir_module\nclass M:\n    @R.function\n    def f(x: R.Tensor):\n        y = M.f(x)\n        return y\n"},
    {"BranchesDisagree", "E0120", 6, 9, "different names: `y` and `z`",
     "@R.function\ndef f(c: R.Tensor((), \"bool\"), x: R.Tensor):\n    if c:\n        y = R.add(x, x)\n    else:\n     "
     "   z = R.add(x, x)\n    return z\n"},
    {"IfWithoutElse", "E0120", 3, 5, "has an `else`",
     "@R.function\ndef f(c: R.Tensor((), \"bool\"), x: R.Tensor):\n    if c:\n        y = R.add(x, x)\n    return x\n"},
    {"UndeclaredDevice", "E0121", 4, 40, "`cuda:1` is not declared",
     "@I.ir_module\nclass M:\n    @R.function\n    def f(x: R.Tensor((2,), \"float32\", \"cuda:1\")):\n        return "
     "x\n"},
};

class ScriptErrors : public testing::TestWithParam<Case> {};

TEST_P(ScriptErrors, SaysWhatAndWhere) {
  const Case& c = GetParam();
  std::vector<Diagnostic> errors = errors_of(c.script);
  ASSERT_EQ(errors.size(), 1u) << "nothing was wrong, or too much";
  EXPECT_EQ(errors[0].code, c.code) << render(errors[0]);
  EXPECT_THAT(errors[0].message, HasSubstr(c.words));
  ASSERT_TRUE(errors[0].span);
  EXPECT_EQ(errors[0].span->line, c.line) << render(errors[0]);
  EXPECT_EQ(errors[0].span->column, c.column) << render(errors[0]);
  EXPECT_GT(errors[0].span->end_column, c.column - 1);
}

INSTANTIATE_TEST_SUITE_P(Cases, ScriptErrors, testing::ValuesIn(kCases),
                         [](const auto& p) { return std::string(p.param.name); });

TEST(ScriptErrors, SuggestsCloseNames) {
  EXPECT_THAT(errors_of("@R.function\ndef f(x: R.Tensor):\n    y = R.nn.rleu(x)\n    return y\n").at(0).help,
              HasSubstr("nn.relu"));
  EXPECT_THAT(errors_of("@R.function\ndef f(weights: R.Tensor):\n    return weigths\n").at(0).help,
              HasSubstr("weights"));
}

TEST(ScriptErrors, EachFunctionTellsItsOwn) {
  std::vector<Diagnostic> errors = errors_of(
      "@I.ir_module\nclass M:\n"
      "    @R.function\n    def a(x: R.Tensor):\n        return y\n"
      "    @R.function\n    def b(x: R.Tensor):\n        z = M.a(x)\n        return z\n"
      "    @T.prim_func\n    def c(n: T.int32):\n        T.evaluate(m)\n");
  ASSERT_EQ(errors.size(), 2u) << "the caller of a broken function is not broken itself";
  EXPECT_EQ(errors[0].span->line, 5);
  EXPECT_EQ(errors[1].span->line, 12);
}

std::string repeated(const std::string& text, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

TEST(ScriptErrors, NestingIsBounded) {
  auto code = [](const std::string& value) {
    return errors_of("@R.function\ndef f(x: R.Tensor):\n    y = " + value + "\n    return y\n").at(0).code;
  };
  const int deep = is_in_part() ? 10000 : 100000;
  EXPECT_EQ(code(repeated("(", deep)), "E0104");
  EXPECT_EQ(code(repeated("[", deep)), "E0104");
  EXPECT_EQ(code(repeated("-", deep) + "1"), "E0104");
  EXPECT_EQ(code("1" + repeated(" ** 2", deep)), "E0104");
  EXPECT_EQ(code("1" + repeated(" + x", deep)), "E0104");
  EXPECT_EQ(code("x" + repeated("[0]", deep)), "E0104");
  EXPECT_EQ(code(repeated("lambda: ", deep) + "x"), "E0104");
  EXPECT_EQ(code("x" + repeated(" if x else x", deep)), "E0104");
  std::string nested;
  for (int i = 0; i < 200; ++i) nested += std::string(static_cast<size_t>(4 + i), ' ') + "if x:\n";
  EXPECT_EQ(errors_of("@R.function\ndef f(x: R.Tensor):\n" + nested).at(0).code, "E0104");
  std::string lets;
  for (int i = 0; i < 5000; ++i) lets += "    x" + std::to_string(i) + " = n + " + std::to_string(i) + "\n";
  EXPECT_EQ(errors_of("@T.prim_func\ndef f(n: T.int32):\n" + lets).at(0).code, "E0104");
}

// Generated scripts have many definitions: as many are accepted as constructors accept, inside loops too.
TEST(ScriptErrors, DefinitionsAreBounded) {
  auto script = [](int definitions) {
    std::string body;
    for (int i = 0; i < 50; ++i) body += fmt::format("{:{}}for i{} in range(2):\n", "", 4 + i, i);
    for (int i = 0; i < definitions; ++i) body += fmt::format("{:54}x{} = n + {}\n", "", i, i);
    return fmt::format("@T.prim_func\ndef f(n: T.int32):\n{}{:54}T.evaluate(x0)\n", body, "");
  };
  Module module = parse_module(Source::make("script.py", script(2000)), fake_ops());
  Module again = parse_module(Source::make("printed", print(module)), fake_ops());
  EXPECT_EQ(first_difference(module, again), "");
  std::vector<Diagnostic> errors = errors_of(script(2001));
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].code, "E0104");
  EXPECT_THAT(errors[0].message, HasSubstr("more than 2000 definitions"));
}

}  // namespace
}  // namespace sunmao
