// What a comparison of random modules pardons, and what it counts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "eval/compare.h"
#include "eval/evaluator.h"
#include "ops/ops.h"
#include "passes/validation/result_precisions.h"
#include "script/parse.h"
#include "tests/random/codegen_tally.h"
#include "tests/random/nudged_module.h"

namespace sunmao {
namespace {

using testing::HasSubstr;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN(), kInfinity = std::numeric_limits<float>::infinity();

Array floats(std::vector<float> values) { return Array::from_floats({std::ssize(values)}, values); }
Array integers(std::vector<int64_t> values) { return Array::from_ints({std::ssize(values)}, values); }

// Compares where runs on changed inputs give `moved`.
Difference pardoned(const Array& expected, const Array& got, const Array& moved, DType precision = {}) {
  NudgedRuns runs({}, [&](const std::vector<Value>&, int) { return std::vector{moved}; });
  return difference_of({expected}, {got}, {precision.is_void() ? expected.dtype() : precision}, runs);
}
unsigned bit_of_pardon(Pardon p) { return 1U << static_cast<unsigned>(p); }

TEST(Pardons, NonFiniteNumbersCompareAsSuch) {
  for (const float odd : {kNaN, kInfinity, -kInfinity}) {
    EXPECT_EQ(pardoned(floats({1, odd}), floats({1, odd}), floats({1, odd})).fault, "");
    EXPECT_THAT(pardoned(floats({1, odd}), floats({1, 2}), floats({1, odd})).fault, HasSubstr("2 after"));
    EXPECT_THAT(pardoned(floats({1, 2}), floats({1, odd}), floats({1, 2})).fault, HasSubstr("2 before"));
    EXPECT_EQ(pardoned(floats({1, odd}), floats({1, 2}), floats({1, 3})).pardons, bit_of_pardon(Pardon::Overflow));
  }
  EXPECT_EQ(pardoned(floats({kInfinity}), floats({-kInfinity}), floats({kInfinity})).pardons,
            bit_of_pardon(Pardon::ZeroSign));
}

TEST(Pardons, AreForElementsThatMove) {
  const Difference step = pardoned(integers({1, 5}), integers({1, 6}), integers({1, 4}));
  EXPECT_EQ(step.fault, "");
  EXPECT_EQ(step.pardons, bit_of_pardon(Pardon::Step));
  EXPECT_NE(pardoned(integers({1, 5}), integers({2, 5}), integers({1, 4})).fault, "") << "another element moves";
}

TEST(Pardons, FloatsMoveAsFarAsTheyDiffer) {
  EXPECT_EQ(pardoned(floats({1}), floats({2}), floats({2.5F})).pardons, bit_of_pardon(Pardon::IllConditioned));
  EXPECT_NE(pardoned(floats({1}), floats({20}), floats({2.5F})).fault, "");
}

TEST(Pardons, SizesThatChange) {
  EXPECT_EQ(pardoned(floats({1}), floats({1, 2}), floats({1, 2})).pardons, bit_of_pardon(Pardon::Size));
  EXPECT_NE(pardoned(floats({1}), floats({1, 2}), floats({1})).fault, "");
  EXPECT_NE(pardoned(floats({1}), integers({1}), floats({2})).fault, "") << "another dtype";
}

TEST(Pardons, AResultHasThePrecisionOfWhatItIsComputedFrom) {
  const Array one = Array::from_floats({1}, std::vector{1.0F}), near = Array::from_floats({1}, std::vector{1.001F});
  EXPECT_NE(pardoned(one, near, one).fault, "");
  EXPECT_EQ(pardoned(one, near, one, DType::float_(16)).fault, "");
  const Module m = parse_module(Source::make("m.py", R"(from tvm.script import ir as I, relax as R
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2,), "float16"), y: R.Tensor((2,), "float64"), i: R.Tensor((2,), "int64")):
        with R.dataflow():
            a = R.astype(x, "float64")
            b = R.add(y, y)
            c = R.add(i, i)
            d = (a, b, c)
            R.output(d)
        return d
)"),
                                builtin_ops());
  const std::vector<DType> wanted{DType::float_(16), DType::float_(64), DType()};
  EXPECT_EQ(precisions_of(*m.find_as<Function>("main")), wanted);
}

TEST(NudgedModules, ShowRoundingThatInputsDoNotReach) {
  const Module m = parse_module(Source::make("m.py", R"(from tvm.script import ir as I, relax as R
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 2), "float32"), w: R.Tensor((2,), "float32"), p: R.Tensor((2, 2), "float32")):
        with R.dataflow():
            a = R.nn.layer_norm(x, w, w, axes=[-1])
            b = R.prod(p)
            c = R.prod(p, axis=[1], keepdims=True)
            d = (a, b, c)
            R.output(d)
        return d
)"),
                                builtin_ops());
  const std::vector<Value> inputs{Array::from_floats({1, 2}, std::vector{-3.0F, 3.0F}), floats({1, 1}),
                                  Array::from_floats({2, 2}, std::vector{1e-30F, 1e-30F, 1e30F, 1e30F})};
  const auto results_of = [&](const Module& module) {
    std::vector<Array> out;
    const Value results = Evaluator(module).call("main", {inputs.begin(), inputs.end()});
    for (const Value& result : *results.tuple()) out.push_back(*result.array());
    return out;
  };
  const std::vector<Array> exact = results_of(m), first = results_of(nudged_module(m, 0)),
                           second = results_of(nudged_module(m, 1));
  EXPECT_LT(exact[0].as<float>()[0], 1e-6F) << "the data's share and the bias cancel";
  EXPECT_GT(distances(exact[0], first[0])[0], 4e-7);
  EXPECT_EQ(exact[1].as<float>()[0], 0);
  EXPECT_EQ(first[1].as<float>()[0], kInfinity) << "from last to first";
  EXPECT_EQ(second[1].as<float>()[0], 1) << "axis by axis";
  EXPECT_EQ(first[2], exact[2]);
  EXPECT_EQ(second[2].shape(), exact[2].shape());
}

TEST(CodegenTally, CountsWhatWasCompared) {
  CodegenTally tally({});
  tally.add({.is_fault = false, .is_large = true, .pardons = 2, .omissions = 0, .constructs = 1});
  tally.add({.is_fault = false, .is_large = false, .pardons = 0, .omissions = 1, .constructs = 1});
  tally.add({});
  EXPECT_EQ(tally.seeds(), 3);
  EXPECT_EQ(tally.faults(), 1);
  EXPECT_THAT(tally.text(), HasSubstr("pardoned: 1, 100.00 percent\n1 modules compared in 4 ways each, 1 faults"));
  EXPECT_THAT(tally.text(), HasSubstr("E1020: 1, E0521: 0"));
  EXPECT_EQ(CodegenTally(tally.numbers()).numbers(), tally.numbers());
  EXPECT_EQ(CodegenTally({1, 2}).seeds(), 0) << "numbers of another kind";
}

TEST(CodegenTally, BoundsPardons) {
  CodegenTally tally({});
  for (int i = 0; i < 997; ++i) tally.add({.is_fault = false});
  for (int i = 0; i < 6; ++i) tally.add({.is_fault = false, .pardons = 1});
  EXPECT_TRUE(tally.has_few_pardons());
  for (int i = 0; i < 2; ++i) tally.add({.is_fault = false, .pardons = 1});
  EXPECT_FALSE(tally.has_few_pardons());
}

}  // namespace
}  // namespace sunmao
