// The cost model prefers the layout whose kernel was measured to be the faster one by a fifth or more (one thread,
// AVX2, medians of calls in turn; docs/adr/0049-layout-by-cost.md).
#include "passes/layout/layout_cost.h"

#include <gtest/gtest.h>

#include "ops/ops.h"
#include "tests/unit/passes/parsed.h"

namespace sunmao {
namespace {

struct Measured {
  const char *data, *weight, *call;
  double first, last;  // microseconds of the kernel
};

void PrintTo(const Measured& m, std::ostream* out) { *out << m.call << " of " << m.data << " by " << m.weight; }

Module measured_module(const std::string& data, const std::string& weight, const std::string& call) {
  return parse(fmt::format(R"(from tvm.script import ir as I, relax as R
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor({}, "float32"), w: R.Tensor({}, "float32")):
        with R.dataflow():
            y = {}
            R.output(y)
        return y
)",
                           data, weight, call));
}

Ref<Function> main_of(const Module& m) { return find_ref<Function>(Expr(m.functions().front().func)); }

LayoutCosts costs_of(const Ref<Function>& f) {
  AssumedSizes sizes(*f);
  return layout_costs(*find<Call>(f->body->blocks.front()->bindings.front().value), sizes);
}

class MeasuredKernels : public testing::TestWithParam<Measured> {};

TEST_P(MeasuredKernels, HaveTheFasterLayout) {
  const Measured& m = GetParam();
  const LayoutCosts costs = costs_of(main_of(measured_module(m.data, m.weight, m.call)));
  ASSERT_TRUE(costs.first > 0 && costs.last > 0);
  EXPECT_EQ(costs.last < costs.first, m.last < m.first) << costs.first << " steps first, " << costs.last << " last";
}

constexpr const char* kSame3 = "R.nn.conv2d(x, w, padding=1)";
INSTANTIATE_TEST_SUITE_P(
    Convolutions, MeasuredKernels,
    testing::Values(Measured{"(1, 1, 28, 28)", "(4, 1, 3, 3)", kSame3, 1.6, 5.9},
                    Measured{"(1, 3, 256, 256)", "(3, 3, 5, 5)", "R.nn.conv2d(x, w, padding=2)", 487, 1867},
                    Measured{"(1, 3, 256, 256)", "(3, 3, 1, 1)", "R.nn.conv2d(x, w)", 48, 393},
                    Measured{"(1, 4, 128, 128)", "(4, 4, 3, 3)", kSame3, 71, 315},
                    Measured{"(1, 64, 128, 128)", "(1, 64, 3, 3)", kSame3, 1657, 499},
                    Measured{"(1, 64, 128, 128)", "(3, 64, 3, 3)", kSame3, 2727, 1179},
                    Measured{"(1, 32, 56, 56)", "(8, 32, 1, 1)", "R.nn.conv2d(x, w)", 30, 87},
                    Measured{"(1, 64, 20, 20)", "(64, 64, 3, 3)", kSame3, 472, 363},
                    Measured{"(1, 64, 2, 2)", "(64, 64, 3, 3)", kSame3, 18.5, 8.2},
                    Measured{"(1, 512, 7, 7)", "(2048, 512, 1, 1)", "R.nn.conv2d(x, w)", 2174, 1637}));

INSTANTIATE_TEST_SUITE_P(
    Groups, MeasuredKernels,
    testing::Values(
        Measured{"(1, 3, 256, 256)", "(3, 1, 3, 3)", "R.nn.conv2d(x, w, padding=1, groups=3)", 120, 653},
        Measured{"(1, 256, 14, 14)", "(256, 1, 3, 3)", "R.nn.conv2d(x, w, padding=1, groups=256)", 48, 18},
        Measured{"(1, 960, 7, 7)", "(960, 1, 5, 5)", "R.nn.conv2d(x, w, padding=2, groups=960)", 351, 41},
        Measured{"(1, 64, 56, 56)", "(64, 1, 3, 3)", "R.nn.conv2d(x, w, strides=2, padding=1, groups=64)", 93, 18},
        Measured{"(1, 128, 56, 56)", "(128, 4, 3, 3)", "R.nn.conv2d(x, w, padding=1, groups=32)", 746, 2818},
        Measured{"(1, 512, 14, 14)", "(512, 16, 3, 3)", "R.nn.conv2d(x, w, padding=1, groups=32)", 1512, 446},
        Measured{"(1, 64, 512)", "(64, 1, 31)", "R.nn.conv1d(x, w, padding=15, groups=64)", 72, 80},
        Measured{"(1, 256, 128)", "(256, 1, 3)", "R.nn.conv1d(x, w, padding=1, groups=256)", 8.5, 19},
        Measured{"(1, 256, 1024)", "(256, 1, 9)", "R.nn.conv1d(x, w, padding=4, groups=256)", 137, 151}));

INSTANTIATE_TEST_SUITE_P(
    Others, MeasuredKernels,
    testing::Values(Measured{"(1, 32, 4000)", "(1, 32, 7)", "R.nn.conv1d(x, w, padding=3)", 417, 116},
                    Measured{"(1, 64, 28, 28)", "(64, 32, 2, 2)", "R.nn.conv2d_transpose(x, w, strides=2)", 1502, 289},
                    Measured{"(1, 1, 28, 28)", "(1, 1, 3, 3)", "R.nn.conv2d_transpose(x, w, strides=2)", 42.7, 5.3},
                    Measured{"(1, 16, 28, 28)", "(16, 1, 4, 4)",
                             "R.nn.conv2d_transpose(x, w, strides=2, padding=1, groups=16)", 719, 24},
                    Measured{"(1, 64, 112, 112)", "()", "R.nn.max_pool2d(x, 3, strides=2, padding=1)", 1628, 129},
                    Measured{"(1, 4, 64, 64)", "()", "R.nn.max_pool2d(x, 3, padding=1)", 155, 50},
                    Measured{"(1, 64, 112, 112)", "()", "R.image.resize2d(x, (224, 224), layout=\"NCHW\")", 17'864,
                             1315}));

TEST(LayoutCost, IsTheSameForAMeanOfWholeImages) {
  const LayoutCosts costs = costs_of(main_of(measured_module("(1, 8, 4, 4)", "()", "R.nn.adaptive_avg_pool2d(x, 1)")));
  EXPECT_EQ(costs.first, 0);
  EXPECT_EQ(costs.last, 0);
}

TEST(LayoutCost, OfASymbolicBatchIsThatOfOneImage) {
  const auto cost = [](const char* data) {
    return costs_of(main_of(measured_module(data, "(16, 8, 3, 3)", "R.nn.conv2d(x, w)"))).last;
  };
  EXPECT_EQ(cost("(\"n\", 8, 30, 30)"), cost("(1, 8, 30, 30)"));
  EXPECT_EQ(cost("(1, 8, \"h\", \"w\")"), cost("(1, 8, 224, 224)"));
}

TEST(LayoutCost, OfATransposeIsThatOfTheElementsThatMove) {
  const AxisOrder given = AxisOrder::original(4), last({{0}, {2}, {3}, {1}});
  const Ref<Function> f = main_of(measured_module("(2, 8, 1, 3)", "(1, 8, 1, 1)", "R.add(x, w)"));
  AssumedSizes sizes(*f);
  const auto& image = *find<TensorType>(f->params[0]->type);
  const auto& column = *find<TensorType>(f->params[1]->type);
  EXPECT_GT(transpose_cost(image, given, last, sizes), 2 * 8 * 3);
  EXPECT_EQ(transpose_cost(image, last, last, sizes), 0);
  EXPECT_EQ(transpose_cost(image, given, AxisOrder({{0}, {2}, {1}, {3}}), sizes), 0) << "one element moves nothing";
  EXPECT_EQ(transpose_cost(column, given, last, sizes), 0);
}

}  // namespace
}  // namespace sunmao
