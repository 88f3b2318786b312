// Splitting of weight transforms into pieces.
#include "compiler/preparing_pieces.h"

#include <gtest/gtest.h>

#include "ops/ops.h"
#include "passes/weights/parameter_stages.h"
#include "script/parse.h"

namespace sunmao {
namespace {

// Two products of one sum, a transpose, and a value that reads no weight and is used twice.
constexpr const char* kTransform = R"(
@I.ir_module
class M:
    @R.function
    def prepare(p: R.Tuple(R.Tensor((4, 2), "float32"), R.Tensor((4, 2), "float32"), R.Tensor((2,), "float32"))):
        with R.dataflow():
            a = p[0]
            b = p[1]
            c = p[2]
            ones = R.ones((2,), "float32")
            s = R.add(a, b)
            left = R.multiply(s, ones)
            turned = R.permute_dims(a)
            right = R.subtract(s, b)
            more = R.add(c, ones)
            out = (left, turned, right, more)
            R.output(out)
        return out
)";

PreparingStep step_of(const char* text, std::vector<std::string> takes, std::vector<std::string> gives) {
  const Module m = parse_module(Source::make("m.py", text), builtin_ops());
  return {.name = "prepare",
          .function = m.find_as<Function>("prepare"),
          .takes = std::move(takes),
          .gives = std::move(gives)};
}

TEST(PreparingPieces, results_with_common_work_stay_together) {
  const std::vector<PreparingStep> pieces =
      split_step(step_of(kTransform, {"a", "b", "c"}, {"left", "turned", "right", "more"}));
  ASSERT_EQ(pieces.size(), 3u);
  EXPECT_EQ(pieces[0].gives, (std::vector<std::string>{"left", "right"}));
  EXPECT_EQ(pieces[0].takes, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(pieces[1].gives, std::vector<std::string>{"turned"});
  EXPECT_EQ(pieces[1].takes, std::vector<std::string>{"a"});
  EXPECT_EQ(pieces[2].gives, std::vector<std::string>{"more"});
  EXPECT_EQ(pieces[2].takes, std::vector<std::string>{"c"});
  EXPECT_EQ(find<TupleType>(pieces[2].function->params[0]->type)->fields.size(), 1u);
}

TEST(PreparingPieces, a_transform_with_symbols_stays_whole) {
  constexpr const char* kSymbolic = R"(
@I.ir_module
class M:
    @R.function
    def prepare(p: R.Tuple(R.Tensor(("n", 2), "float32"), R.Tensor((2,), "float32"))):
        n = T.int64()
        with R.dataflow():
            a = p[0]
            b = p[1]
            c = R.add(a, a)
            d = R.add(b, b)
            out = (c, d)
            R.output(out)
        return out
)";
  EXPECT_EQ(split_step(step_of(kSymbolic, {"a", "b"}, {"c", "d"})).size(), 1u);
}

TEST(PreparingPieces, equal_pieces_of_two_steps_are_one) {
  Preparation plan;
  plan.steps = {step_of(kTransform, {"a", "b", "c"}, {"left", "turned", "right", "more"}),
                step_of(kTransform, {"a", "b", "d"}, {"left2", "turned2", "right2", "more2"})};
  plan.bound = {{"f", {{"x", "turned"}, {"y", "more"}}}, {"g", {{"x", "turned2"}, {"y", "more2"}}}};
  split_steps(plan);
  EXPECT_EQ(plan.steps.size(), 4u);
  EXPECT_EQ(plan.bound.at("g").at("x"), "turned");
  EXPECT_EQ(plan.bound.at("g").at("y"), "more2");
}

}  // namespace
}  // namespace sunmao
