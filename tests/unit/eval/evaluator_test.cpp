#include "eval/evaluator.h"

#include <gtest/gtest.h>

#include <limits>

#include "ops/ops.h"
#include "script/parse.h"
#include "support/diagnostic.h"
#include "tests/unit/eval/float_array.h"

namespace sunmao {
namespace {

Module parse(const char* text) { return parse_module(Source::make("test.py", text), builtin_ops()); }

std::string error_of(const Module& m, const std::vector<Value>& args) {
  try {
    Evaluator(m).call("main", args);
  } catch (const UserError& e) {
    return e.diagnostics()[0].code;
  }
  return "no error";
}

TEST(Evaluator, follows_branches_and_calls) {
  Module m = parse(R"(
@I.ir_module
class M:
    @R.function
    def main(c: R.Tensor((), "bool"), x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        if c:
            y = M.double(x)
            r = R.add(y, x)
        else:
            r = R.nn.relu(x)
        return r

    @R.function
    def double(x: R.Tensor(("m",), "float32")) -> R.Tensor(("m",), "float32"):
        y = R.add(x, x)
        return y
)");
  std::byte yes{1}, no{0};
  Array x = float_array({2}, {-1, 2});
  Array taken = *Evaluator(m).call("main", {Array::copy(DType::bool_(), {}, {&yes, 1}), x}).array();
  Array other = *Evaluator(m).call("main", {Array::copy(DType::bool_(), {}, {&no, 1}), x}).array();
  EXPECT_TRUE(taken == float_array({2}, {-3, 6}));
  EXPECT_TRUE(other == float_array({2}, {0, 2}));
}

constexpr const char* kKernel = R"(
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        cls = M
        y = R.call_tir(cls.shift, (x,), out_ty=R.Tensor((4,), "float32"))
        return y

    @T.prim_func(private=True)
    def shift(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.sblock("shift"):
                v = T.axis.spatial(4, i)
                B[v] = A[OFFSET]
)";

Module kernel(const std::string& index) {
  std::string text = kKernel;
  text.replace(text.find("OFFSET"), 6, index);
  return parse(text.c_str());
}

TEST(Evaluator, runs_kernels_and_catches_what_they_do_wrong) {
  Array x = float_array({4}, {1, 2, 3, 4});
  EXPECT_TRUE(*Evaluator(kernel("3 - v")).call("main", {x}).array() == float_array({4}, {4, 3, 2, 1}));
  EXPECT_EQ(error_of(kernel("v + 1"), {x}), "E0506");
  EXPECT_TRUE(*Evaluator(kernel("v // (v - v)")).call("main", {x}).array() == float_array({4}, {1, 1, 1, 1}));
}

Array of_int64(const std::string& value, const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
  std::string text = R"(
@I.ir_module
class M:
    @R.function
    def main(a: R.Tensor((6,), "int64"), b: R.Tensor((6,), "int64")):
        cls = M
        y = R.call_tir(cls.each, (a, b), out_ty=R.Tensor((6,), "int64"))
        return y

    @T.prim_func(private=True)
    def each(A: T.Buffer((6,), "int64"), B: T.Buffer((6,), "int64"), C: T.Buffer((6,), "int64")):
        for i in range(6):
            with T.sblock("each"):
                v = T.axis.spatial(6, i)
                C[v] = VALUE
)";
  text.replace(text.find("VALUE"), 5, value);
  return *Evaluator(parse(text.c_str())).call("main", {Array::from_ints({6}, a), Array::from_ints({6}, b)}).array();
}

TEST(Evaluator, wraps_int64_and_rounds_quotients_down) {
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  const std::vector<int64_t> a = {7, -7, 7, -7, 5, kMin}, b = {2, 2, -2, -2, 0, -1};
  const auto gives = [&](const char* value, const std::vector<int64_t>& expected) {
    EXPECT_TRUE(of_int64(value, a, b) == Array::from_ints({6}, expected)) << value;
  };
  gives("A[v] // B[v]", {3, -4, -4, 3, 0, kMin});
  gives("A[v] % B[v]", {1, 1, -1, -1, 0, 0});
  gives("A[v] - B[v] * A[v]", {-7, 7, 21, -21, 5, 0});
  gives("T.Cast(\"int64\", A[v] < B[v])", {0, 1, 0, 1, 0, 1});
  gives("T.Cast(\"int64\", A[v] <= T.int64(-7))", {0, 1, 0, 1, 0, 1});
  gives("T.Cast(\"int64\", A[v] > B[v])", {1, 0, 1, 0, 1, 0});
  gives("T.Cast(\"int64\", A[v] >= T.int64(7))", {1, 0, 1, 0, 0, 0});
  gives("T.Cast(\"int64\", A[v] == T.int64(5))", {0, 0, 0, 0, 1, 0});
  gives("T.Cast(\"int64\", A[v] != T.int64(7))", {0, 1, 0, 1, 1, 1});
  gives("T.max(A[v], B[v])", {7, 2, 7, -2, 5, -1});
}

constexpr const char* kViews = R"(
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor((2, 4), "float32")):
        cls = M
        y = R.call_tir(cls.rows, (x,), out_ty=R.Tensor((2, 4), "float32"))
        return y

    @T.prim_func(private=True)
    def rows(A: T.Buffer((2, 4), "float32"), B: T.Buffer((2, 4), "float32")):
        for i in range(2):
            with T.sblock("row"):
                v = T.axis.spatial(2, i)
                T.reads(A[v, 0:4])
                T.writes(B[v, 0:4])
                a = T.match_buffer(A[v, 1:4], (3,))
                b = T.match_buffer(B[v, PLACE], (3,))
                for j in range(3):
                    b[j] = a[j] * T.float32(2)
)";

TEST(Evaluator, runs_blocks_on_views_of_buffers) {
  Array x = float_array({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  std::string inside = kViews, outside = kViews;
  inside.replace(inside.find("PLACE"), 5, "0:3");
  outside.replace(outside.find("PLACE"), 5, "v + 1:v + 4");
  EXPECT_TRUE(*Evaluator(parse(inside.c_str())).call("main", {x}).array() ==
              float_array({2, 4}, {4, 6, 8, 0, 12, 14, 16, 0}));
  EXPECT_EQ(error_of(parse(outside.c_str()), {x}), "E0506");
}

TEST(Evaluator, runs_another_shape_of_the_same_memory) {
  Module m = parse(R"(
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor((2, 2), "float32")):
        cls = M
        y = R.call_tir(cls.reversed, (x,), out_ty=R.Tensor((2, 2), "float32"))
        return y

    @T.prim_func(private=True)
    def reversed(A: T.Buffer((2, 2), "float32"), B: T.Buffer((2, 2), "float32")):
        flat = T.decl_buffer((4,), "float32", data=A.data)
        tail = T.decl_buffer((3,), "float32", data=B.data, elem_offset=1)
        for i in range(3):
            tail[i] = flat[3 - i]
)");
  Array x = float_array({2, 2}, {1, 2, 3, 4});
  EXPECT_TRUE(*Evaluator(m).call("main", {x}).array() == float_array({2, 2}, {0, 4, 3, 2}));
}

TEST(Evaluator, checks_arguments_against_the_signature) {
  Module m = parse(R"(
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor(("n", 2), "float32"), y: R.Tensor(("n",), "float32")):
        return x
)");
  Array y = float_array({3}, {1, 2, 3});
  EXPECT_EQ(error_of(m, {float_array({3, 2}, {1, 2, 3, 4, 5, 6}), y}), "no error");
  EXPECT_EQ(error_of(m, {float_array({2, 2}, {1, 2, 3, 4}), y}), "E0905");
  EXPECT_EQ(error_of(m, {float_array({3, 1}, {1, 2, 3}), y}), "E0905");
  EXPECT_EQ(error_of(m, {y, y}), "E0505");
  EXPECT_EQ(error_of(m, {y}), "E0505");
}

TEST(Evaluator, says_what_it_cannot_run) {
  Module m = parse(R"(
@I.ir_module
class M:
    @R.function(pure=False)
    def main(x: R.Tensor((2,), "float32")):
        y = R.call_packed("host.function", x, ty_args=(R.Tensor((2,), "float32"),))
        return y
)");
  EXPECT_EQ(error_of(m, {float_array({2}, {1, 2})}), "E0509");
  Module scalar = parse(R"(
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor((2,), "float32"), s: R.Prim("float32")):
        y = R.add(x, s)
        return y
)");
  EXPECT_EQ(error_of(scalar, {float_array({2}, {1, 2}), Value(1.0)}), "E0507");
}

}  // namespace
}  // namespace sunmao
