// channels-last: its results are those of before, what it tells of regions, and that transposes go with `simplify`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "eval/evaluator.h"
#include "ir/verify.h"
#include "passes/layout/convert_layout.h"
#include "passes/passes.h"
#include "passes/runner.h"
#include "script/print.h"
#include "tests/unit/passes/parsed.h"

namespace sunmao {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Module image_module(const std::string& body, const std::string& x = "(1, 16, 12, 12)") {
  return parse(fmt::format(R"(from tvm.script import ir as I, relax as R
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor({}, "float32"), w: R.Tensor((16, 16, 3, 3), "float32"), k: R.Tensor((2, 16, 1, 1), "float32"),
             v: R.Tensor((1600, 8), "float32")):
        R.func_attr({{"num_input": 1}})
        with R.dataflow():
{}
            R.output(y)
        return y
)",
                           x, body));
}

Module after_passes(const Module& m, const char* passes, std::vector<std::string>* reasons = nullptr) {
  std::vector<PipelineStep> steps;
  for (PassCall& call : parse_pass_calls(passes, "test"))
    steps.push_back({call.pass, Stage::Raw, std::move(call.arguments)});
  RunnerOptions options;
  options.explain = {"channels-last"};
  options.on_explain = [&](const std::string& line) {
    if (reasons) reasons->push_back(line);
  };
  return run_passes(m, steps, {}, options).module;
}

std::vector<Value> arguments() {
  std::mt19937 random(3);
  std::vector<Value> out;
  for (const std::vector<int64_t>& shape :
       std::vector<std::vector<int64_t>>{{1, 16, 12, 12}, {16, 16, 3, 3}, {2, 16, 1, 1}, {1600, 8}}) {
    int64_t count = 1;
    for (int64_t d : shape) count *= d;
    std::vector<float> values(static_cast<size_t>(count));
    for (float& f : values) f = static_cast<float>(std::uniform_int_distribution<int>(-3, 3)(random));
    out.emplace_back(Array::from_floats(shape, values));
  }
  return out;
}

// The numbers are integers, so sums are exact in every order.
void expect_same(const Module& a, const Module& b) {
  for (const Diagnostic& d : verify(b, Stage::Imported)) ADD_FAILURE() << render(d) << print(b);
  const Value expected = Evaluator(a).call("main", arguments()), got = Evaluator(b).call("main", arguments());
  ASSERT_EQ(expected.array()->shape(), got.array()->shape()) << print(b);
  const auto p = expected.array()->as<float>(), q = got.array()->as<float>();
  for (size_t i = 0; i < p.size(); ++i) ASSERT_EQ(p[i], q[i]) << print(b);
}

constexpr const char* kFlattened = R"(
            c = R.nn.conv2d(x, w)
            f = R.reshape(c, (1, 1600))
            y = R.matmul(f, v))";

TEST(ChannelsLast, PermutesTheRowsOfAWeightBehindAFlattenedImage) {
  const Module before = image_module(kFlattened), made = after_passes(before, "channels-last, eliminate-dead-code");
  expect_same(before, made);
  EXPECT_THAT(print(made), HasSubstr("reshape(v, R.shape([16, 10, 10, 8]))"));
  EXPECT_THAT(print(made), Not(HasSubstr("axes=[0, 3, 1, 2]")));
}

TEST(ChannelsLast, TransposesAFlattenedImageThatOthersReadToo) {
  const Module before = image_module(R"(
            c = R.nn.conv2d(x, w)
            f = R.flatten(c)
            g = R.reshape(c, (1, 1600))
            y = R.matmul(g, R.multiply(v, R.sum(f)))
)");
  expect_same(before, after_passes(before, "normalize, channels-last"));
  const Module read = image_module(R"(
            c = R.nn.conv2d(x, w)
            g = R.reshape(c, (1, 1600))
            a = R.matmul(g, v)
            y = R.add(R.sum(g), a)
)");
  const Module made = after_passes(read, "normalize, channels-last");
  expect_same(read, made);
  EXPECT_THAT(print(made), Not(HasSubstr("reshape(v")));
}

TEST(ChannelsLast, LetsInputsBeAsTheyAre) {
  const Module before = image_module(R"(
            a = R.permute_dims(x, axes=[0, 3, 1, 2])
            c = R.nn.conv2d(a, w)
            y = R.permute_dims(c, axes=[0, 2, 3, 1])
)",
                                     "(1, 12, 12, 16)");
  const std::string text = print(after_passes(before, "channels-last, simplify, eliminate-dead-code"));
  EXPECT_THAT(text, HasSubstr("R.nn.conv2d(x, "));
  EXPECT_THAT(text, Not(HasSubstr("axes=[0, ")));
}

TEST(ChannelsLast, TellsWhatARegionSaves) {
  std::vector<std::string> reasons;
  after_passes(image_module(kFlattened), "channels-last", &reasons);
  EXPECT_THAT(reasons,
              ElementsAre("main: `c` to `c`, 1 call with 1 convolution: 50.7 thousand steps in the program's layout, "
                          "30.3 thousand steps and 3.3 thousand for 1 transpose with channels last; channels last"));
}

TEST(ChannelsLast, TellsThatARegionStaysAndOfAssumedSizes) {
  std::vector<std::string> reasons;
  after_passes(image_module("            y = R.nn.conv2d(x, k)\n", "(\"n\", 16, \"h\", 300)"), "channels-last",
               &reasons);
  ASSERT_EQ(reasons.size(), 1U);
  EXPECT_THAT(reasons[0], HasSubstr("; the program's layout (sizes that a run says count as 224)"));
}

TEST(ConvertLayout, LeavesCallsThatStay) {
  const Module before = image_module(R"(
            a = R.nn.conv2d(x, w, padding=1)
            b = R.nn.relu(a)
            c = R.nn.conv2d(b, w, padding=1)
            d = R.concat((a, c), axis=1)
            e = R.split(d, 2, axis=1)
            g = R.add(e[0], e[1])
            y = R.nn.conv2d(g, k)
)");
  const Ref<Function> f = find_ref<Function>(Expr(before.functions().front().func));
  const std::vector<std::string> names{"a", "b", "c", "d", "g", "y"};
  for (unsigned bits = 0; bits < 1U << names.size(); bits += 5) {  // each pair of calls in each way
    const auto stays = [&](const Ref<Var>& v) {
      for (size_t i = 0; i < names.size(); ++i)
        if (v->name == names[i]) return (bits >> i & 1U) != 0;
      return false;
    };
    const Ref<Function> made = convert_layout(f, {{"nn.conv2d", {"NHWC", "HWIO"}}}, {.stays = stays, .on_plan = {}});
    expect_same(before, before.with_functions({{before.functions().front().var, made}}));
  }
}

}  // namespace
}  // namespace sunmao
