// Sums that are run as nests of loops (eval/sums.h) give what their loops give one by one. The same sum with its
// operands exchanged is no such nest, and equal to the bit.
#include <gtest/gtest.h>

#include "eval/evaluator.h"
#include "ops/ops.h"
#include "script/parse.h"
#include "support/diagnostic.h"
#include "tests/unit/eval/float_array.h"

namespace sunmao {
namespace {

constexpr const char* kModule = R"(
@I.ir_module
class M:
    @R.function
    def main(a: R.Tensor((4, 6), "IN"), b: R.Tensor((6, 5), "IN")):
        cls = M
        y = R.call_tir(cls.sum, (a, b), out_ty=R.Tensor((4, 5), "OUT"))
        return y

    @T.prim_func(private=True)
    def sum(A: T.Buffer((4, 6), "IN"), B: T.Buffer((6, 5), "IN"), C: T.Buffer((4, 5), "OUT")):
        for i, j in T.grid(4, 5):
            for p, q in T.grid(2, 3):
                with T.sblock("sum"):
                    vi, vj, vp, vq = T.axis.remap("SSRR", [i, j, p, q])
                    with T.init():
                        C[vi, vj] = START
                    C[vi, vj] = SUM
)";

struct Sum {
  std::string term = "A[vi, vp * 3 + vq] * B[vp * 3 + vq, vj]", start = "T.float32(0.5)", in = "float32",
              out = "float32";
};

Module module_of(const Sum& s, bool is_nest) {
  std::string text = kModule;
  const auto put = [&](const std::string& name, const std::string& value) {
    for (size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += value.size())
      text.replace(at, name.size(), value);
  };
  put("SUM", is_nest ? "C[vi, vj] + " + s.term : s.term + " + C[vi, vj]");
  put("START", s.start);
  put("\"IN\"", '"' + s.in + '"');
  put("\"OUT\"", '"' + s.out + '"');
  return parse_module(Source::make("test.py", text), builtin_ops());
}

std::vector<Value> arguments(const std::string& dtype) {
  std::vector<int64_t> a, b;
  for (int64_t i = 0; i < 24; ++i) a.push_back(i * i * 7 % 41 - 20);
  for (int64_t i = 0; i < 30; ++i) b.push_back(i * i * 11 % 53 - 26);
  if (dtype == "int64") return {Array::from_ints({4, 6}, a), Array::from_ints({6, 5}, b)};
  const auto floats = [](const std::vector<int64_t>& list) {
    std::vector<float> out;
    for (const int64_t i : list) out.push_back(static_cast<float>(i) / 3);
    return out;
  };
  return {float_array({4, 6}, floats(a)), float_array({6, 5}, floats(b))};
}

// The result, or the error's code and message.
struct Outcome {
  Value value;
  std::string error;
};

Outcome outcome(const Sum& s, bool is_nest) {
  try {
    return {Evaluator(module_of(s, is_nest)).call("main", arguments(s.in)), ""};
  } catch (const UserError& e) {
    return {{}, e.diagnostics()[0].code + ": " + e.diagnostics()[0].message};
  }
}

void expect_same(const Sum& s) {
  const Outcome nest = outcome(s, true), loops = outcome(s, false);
  ASSERT_EQ(nest.error, loops.error) << s.term;
  if (nest.error.empty()) {
    EXPECT_TRUE(*nest.value.array() == *loops.value.array()) << s.term;
  }
}

TEST(Sums, AreThoseOfTheirLoops) {
  const Outcome sum = outcome({}, true);
  const std::vector<Value> given = arguments("float32");
  float expected = 0.5F;
  const auto at = [&](size_t i, size_t index) { return number_at(*given[i].array(), static_cast<int64_t>(index)); };
  for (size_t k = 0; k < 6; ++k) expected += static_cast<float>(at(0, 6 + k)) * static_cast<float>(at(1, k * 5 + 2));
  EXPECT_EQ(static_cast<float>(number_at(*sum.value.array(), 7)), expected);
  for (const char* term :
       {"A[vi, vp * 3 + vq] * B[vp * 3 + vq, vj]", "A[vi, 5 - vp * 3 - vq] * B[vq * 2, vj]", "A[vi, vp + vq]",
        "B[vq + vi // 2, vj]", "A[vi, vp // 2 + vq] * B[vq % 2, vj]", "B[2 * (vp + 1), vj] * B[vq, vj // 2]",
        "A[vi, vq] * T.float32(2)", "A[vi, vq] / B[vp, vj]", "A[vi, p * 3 + vq] * B[q, vj]"})
    expect_same({.term = term});
}

TEST(Sums, RoundAndWrapAsTheirLoops) {
  expect_same({.start = "T.int64(9223372036854775807)", .in = "int64", .out = "int64"});
  expect_same({.term = "T.Cast(\"int8\", A[vi, vp * 3 + vq]) * T.Cast(\"int8\", B[vp * 3 + vq, vj])",
               .start = "T.int8(100)",
               .in = "int64",
               .out = "int8"});
  expect_same({.term = "T.Cast(\"float16\", A[vi, vp * 3 + vq]) * T.Cast(\"float16\", B[vq, vj])",
               .start = "T.float16(0.1)",
               .out = "float16"});
  expect_same({.term = "T.Cast(\"float64\", A[vi, vp * 3 + vq])", .start = "T.float64(0.1)", .out = "float64"});
}

TEST(Sums, SayWhatIsOutOfBounds) {
  for (const char* term : {"A[vi, vp * 3 + vq + 1] * B[vp, vj]", "A[vi, vp * 3 + vq] * B[vp - vq, vj]",
                           "A[vi + 1, vp] * B[vq, vj]", "A[vi, vp * 4611686018427387904]"}) {
    EXPECT_TRUE(outcome({.term = term}, true).error.starts_with("E0506: index ")) << term;
    expect_same({.term = term});
  }
}

TEST(Sums, ReadWhatTheyHaveWritten) {
  constexpr const char* kRunning = R"(
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor((8,), "float32")):
        cls = M
        y = R.call_tir(cls.running, (x,), out_ty=R.Tensor((8,), "float32"))
        return y

    @T.prim_func(private=True)
    def running(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
        for i in range(8):
            with T.sblock("copy"):
                v = T.axis.spatial(8, i)
                C[v] = A[v]
        for i, k in T.grid(7, 3):
            with T.sblock("running"):
                vi, vk = T.axis.remap("SR", [i, k])
                C[vi + 1] = C[vi + 1] + C[vi + vk % 1]
)";
  std::string text = kRunning;
  const std::vector<float> expected = {1, 4, 13, 40, 121, 364, 1093, 3280};
  for (const char* index : {"C[vi + vk % 1]", "C[vi]"}) {
    text.replace(text.rfind("C[vi"), std::string::npos, std::string(index) + "\n");
    const Module m = parse_module(Source::make("test.py", text), builtin_ops());
    const Value got = Evaluator(m).call("main", {float_array(std::vector<float>(8, 1))});
    EXPECT_TRUE(*got.array() == float_array(expected)) << index;
  }
}

TEST(Sums, BeginWhereLoopsReachTheStart) {
  constexpr const char* kLate = R"(
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor((2, 4), "float32")):
        cls = M
        y = R.call_tir(cls.late, (x,), out_ty=R.Tensor((2,), "float32"))
        return y

    @T.prim_func(private=True)
    def late(A: T.Buffer((2, 4), "float32"), C: T.Buffer((2,), "float32")):
        for i in range(2):
            for k in T.serial(MIN, 4):
                with T.sblock("late"):
                    vi = T.axis.spatial(2, i)
                    vk = T.axis.reduce((FIRST, 4), k)
                    with T.init():
                        C[vi] = T.float32(100)
                    C[vi] = C[vi] + A[vi, vk]
)";
  const auto sums = [&](const char* min, const char* first) {
    std::string text = kLate;
    text.replace(text.find("MIN"), 3, min);
    text.replace(text.find("FIRST"), 5, first);
    const Module m = parse_module(Source::make("test.py", text), builtin_ops());
    const Value got = Evaluator(m).call("main", {float_array({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8})});
    return std::vector<double>{number_at(*got.array(), 0), number_at(*got.array(), 1)};
  };
  EXPECT_EQ(sums("0", "0"), (std::vector<double>{110, 126}));
  EXPECT_EQ(sums("1", "1"), (std::vector<double>{109, 121}));
  EXPECT_EQ(sums("0", "2"), (std::vector<double>{107, 115}));  // C is set in the midst of the loop
}

}  // namespace
}  // namespace sunmao
