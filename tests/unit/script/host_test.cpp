// Names that the script does not bind are resolved by the host, which receives the text of the expression.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "ir/equal.h"
#include "script/parse.h"
#include "script/print.h"
#include "support/diagnostic.h"
#include "tests/unit/script/fake_ops.h"

namespace sunmao {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;

struct Host {
  std::map<std::string, HostValue> values;
  std::vector<std::string> asked = {};
  ParseOptions options() {
    return {.resolve = [this](const ParseOptions::Question& question) -> std::optional<HostValue> {
      const auto& [text, span, names, wants_map] = question;
      EXPECT_TRUE(span);
      asked.push_back(text);
      auto it = values.find(text);
      return it == values.end() ? std::nullopt : std::optional(it->second);
    }};
  }
};

TEST(ScriptHost, GivesNumbersShapesTypesAndOps) {
  Host host{{{"n", AttrValue(4)},
             {"shape", AttrValue(AttrList{2, 4})},
             {"config.dtype", AttrValue("float32")},
             {"op", AttrValue(Expr(fake_ops().find("add")))},
             {"axes", AttrValue(AttrList{1, 0})},
             {"np.zeros((2, 4))", Array::from_floats({2, 4}, std::vector<float>(8))}}};
  Module given = read(R"(
@R.function
def main(x: R.Tensor(shape, config.dtype), y: R.Tensor((n // 2, n), "float32")):
    a = op(x, y)
    b = R.permute_dims(a, axes=axes)
    c = R.add(b, R.const(np.zeros((2, 4))))
    d = R.reshape(c, shape)
    e = R.shape([n, n + 1])
    return (d, e)
)",
                      host.options());
  Module expected = read(R"(
@R.function
def main(x: R.Tensor((2, 4), "float32"), y: R.Tensor((2, 4), "float32")):
    a = R.add(x, y)
    b = R.permute_dims(a, axes=[1, 0])
    c = R.add(b, R.const([[0, 0, 0, 0], [0, 0, 0, 0]], "float32"))
    d = R.reshape(c, (2, 4))
    e = R.shape([4, 5])
    return (d, e)
)");
  EXPECT_EQ(first_difference(given, expected), "") << print(given);
}

TEST(ScriptHost, GivesNumbersToLoops) {
  Host host{{{"N", AttrValue(16)}, {"tile[0]", AttrValue(4)}, {"dtype", AttrValue("float32")}}};
  Module given = read(R"(
@T.prim_func(private=True)
def main(A: T.Buffer((N,), dtype)):
    for i in range(N // tile[0]):
        for j in T.vectorized(tile[0]):
            A[i * tile[0] + j] = T.Cast(dtype, i * N)
)",
                      host.options());
  Module expected = read(R"(
@T.prim_func(private=True)
def main(A: T.Buffer((16,), "float32")):
    for i in range(4):
        for j in T.vectorized(4):
            A[i * 4 + j] = T.Cast("float32", i * 16)
)");
  EXPECT_EQ(first_difference(given, expected), "") << print(given);
}

// Functions of the host receive the scalars that names of the script are bound to.
TEST(ScriptHost, IsToldTheScalarsInAQuestion) {
  ParseOptions options;
  options.resolve = [](const ParseOptions::Question& q) -> std::optional<HostValue> {
    if (q.expression != "place(i)") return std::nullopt;
    const Scalar i = *q.names.at("i").find<Scalar>();
    return AttrValue(AttrList{AttrValue(i + i), AttrValue(i)});
  };
  Module given = read(R"(
@T.prim_func(private=True)
def main(A: T.Buffer((16, 16), "int32")):
    for i in range(8):
        row, column = place(i)
        A[row, column] = i
)",
                      options);
  Module expected = read(R"(
@T.prim_func(private=True)
def main(A: T.Buffer((16, 16), "int32")):
    for i in range(8):
        A[i + i, i] = i
)");
  EXPECT_EQ(first_difference(given, expected), "") << print(given);
}

TEST(ScriptHost, IsNotAskedForWhatTheScriptBinds) {
  Host host;
  read(R"(
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32")) -> R.Tensor(("n", 4), "float32"):
        n = T.int64()
        y = R.add(x, x)
        s = R.shape([n * 2])
        z = Module.main(y)
        return z
)",
       host.options());
  EXPECT_THAT(host.asked, ElementsAre());
}

TEST(ScriptHost, WhatItDoesNotKnowIsAnError) {
  Host host;
  try {
    read("@R.function\ndef main(x: R.Tensor((k, 4))):\n    return x\n", host.options());
    FAIL() << "`k` was found";
  } catch (const UserError& error) {
    EXPECT_EQ(error.diagnostics()[0].code, "E0106");
    EXPECT_EQ(error.diagnostics()[0].span->column, 23);
  }
  EXPECT_THAT(host.asked, Contains("k"));
}

}  // namespace
}  // namespace sunmao
