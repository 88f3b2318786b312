// Norms that are decomposed, or folded into weights, keep their results.
#include <gtest/gtest.h>

#include <cmath>

#include "eval/evaluator.h"
#include "ops/ops.h"
#include "passes/pass.h"
#include "script/parse.h"

namespace sunmao {
namespace {

constexpr const char* kNormProgram = R"(
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor((1, 2, 3, 3), "float32"), w: R.Tensor((2, 2, 2, 2), "float32"), gamma: R.Tensor((2,), "float32"), beta: R.Tensor((2,), "float32"), mean: R.Tensor((2,), "float32"), var: R.Tensor((2,), "float32")):
        with R.dataflow():
            c = R.nn.conv2d(x, w)
            bn = R.nn.batch_norm(c, gamma, beta, mean, var, axis=1, momentum=0.25, training=TRAINING)
            y = RESULT
            R.output(y)
        return y
)";

Module norm_program(const char* training, const char* result) {
  std::string text = kNormProgram;
  text.replace(text.find("TRAINING"), 8, training);
  text.replace(text.find("RESULT"), 6, result);
  return parse_module(Source::make("test.py", text), builtin_ops());
}

std::vector<Value> norm_arguments() {
  auto counted = [](std::vector<int64_t> shape, size_t count, float step) {
    std::vector<float> values;
    for (size_t i = 0; i < count; ++i) values.push_back(std::fmod(static_cast<float>(i + 1) * step, 2.0f) - 0.5f);
    return Array::from_floats(std::move(shape), values);
  };
  return {counted({1, 2, 3, 3}, 18, 0.37f),
          counted({2, 2, 2, 2}, 16, 0.61f),
          counted({2}, 2, 0.9f),
          counted({2}, 2, 0.3f),
          counted({2}, 2, 0.45f),
          Array::from_floats({2}, std::vector{0.5f, 2.0f})};
}

void expect_close_results(const Value& a, const Value& b) {
  if (const ValueTuple* fields = a.tuple()) {
    for (size_t i = 0; i < fields->size(); ++i) expect_close_results((*fields)[i], (*b.tuple())[i]);
    return;
  }
  ASSERT_EQ(a.array()->shape(), b.array()->shape());
  for (size_t i = 0; i < static_cast<size_t>(a.array()->count()); ++i)
    EXPECT_NEAR(a.array()->as<float>()[i], b.array()->as<float>()[i], 1e-4);
}

void expect_same_after(const char* pass, const Module& m) {
  const Module changed = find_pass(pass)->run(m, PassContext{});
  expect_close_results(Evaluator(changed).call("main", norm_arguments()), Evaluator(m).call("main", norm_arguments()));
}

TEST(NormMeaning, by_moving_averages) {
  expect_same_after("decompose-ops-for-inference", norm_program("False", "(bn[0], bn[1], bn[2])"));
}
TEST(NormMeaning, by_the_batch) {
  expect_same_after("decompose-ops-for-training", norm_program("True", "(bn[0], bn[1], bn[2])"));
}
TEST(NormMeaning, in_the_weights) { expect_same_after("fold-batch-norm", norm_program("False", "bn[0]")); }

}  // namespace
}  // namespace sunmao
