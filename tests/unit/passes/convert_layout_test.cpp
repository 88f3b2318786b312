// convert-layout keeps the results of modules: each is evaluated before and after, for several layouts.
#include "passes/layout/convert_layout.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "eval/evaluator.h"
#include "ir/equal.h"
#include "ir/verify.h"
#include "ops/ops.h"
#include "script/parse.h"
#include "script/print.h"
#include "support/diagnostic.h"
#include "tests/unit/effort.h"

namespace sunmao {
namespace {

// Returns a module with a convolution `y` of shape (2, 8, 4, 6) followed by `lines`, which define `gv`.
Module layout_module(const std::string& lines) {
  return parse_module(Source::make("test", R"(
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor((2, 8, 6, 8), "float32"), w: R.Tensor((8, 8, 3, 3), "float32"),
             b: R.Tensor((2, 8, 4, 6), "float32"), s: R.Tensor((1, 8, 1, 1), "float32"),
             one: R.Tensor((2, 1, 4, 6), "float32"), m: R.Tensor((4, 6), "float32"), t: R.Tensor((8, 4, 6), "float32"),
             c: R.Tensor((8,), "float32"), v: R.Tensor((8,), "float32"), k: R.Tensor((), "float32"),
             i: R.Tensor((2, 8, 4, 6), "int64"), j: R.Tensor((2, 1), "int64")):
        with R.dataflow():
            y = R.nn.conv2d(x, w)
)" + lines + R"(
            R.output(gv)
        return gv
)"),
                      builtin_ops());
}

// Draws integers, whose sums are exact in any order.
Array whole_numbers(const std::vector<int64_t>& shape, int low, int high, unsigned seed) {
  std::mt19937 random(seed);
  size_t count = 1;
  for (int64_t d : shape) count *= static_cast<size_t>(d);
  std::vector<float> values(count);
  for (float& f : values) f = static_cast<float>(std::uniform_int_distribution<int>(low, high)(random));
  return Array::from_floats(shape, values);
}

std::vector<Value> layout_arguments() {
  std::vector<Value> out;
  unsigned seed = 1;
  for (const std::vector<int64_t>& shape : std::vector<std::vector<int64_t>>{
           {2, 8, 6, 8}, {8, 8, 3, 3}, {2, 8, 4, 6}, {1, 8, 1, 1}, {2, 1, 4, 6}, {4, 6}, {8, 4, 6}, {8}})
    out.emplace_back(whole_numbers(shape, -4, 4, seed++));
  out.emplace_back(whole_numbers({8}, 1, 4, seed++));
  out.emplace_back(whole_numbers({}, -4, 4, seed++));
  std::mt19937 random(seed);
  std::vector<int64_t> places(2 * 8 * 4 * 6);
  for (int64_t& p : places) p = std::uniform_int_distribution<int64_t>(0, 1)(random);
  out.emplace_back(Array::from_ints({2, 8, 4, 6}, places));
  out.emplace_back(Array::from_ints({2, 1}, std::vector<int64_t>{1, 0}));
  return out;
}

std::vector<double> elements(const Array& a) {
  if (a.dtype().bits == 64) return {a.as<double>().begin(), a.as<double>().end()};
  return {a.as<float>().begin(), a.as<float>().end()};
}

void expect_close(const Value& a, const Value& b, const std::string& where) {
  if (const ValueTuple* fields = a.tuple()) {
    ASSERT_TRUE(b.tuple() && b.tuple()->size() == fields->size()) << where;
    for (size_t i = 0; i < fields->size(); ++i) expect_close((*fields)[i], (*b.tuple())[i], where);
    return;
  }
  ASSERT_TRUE(a.array() && b.array()) << where;
  ASSERT_EQ(a.array()->shape(), b.array()->shape()) << where;
  std::vector<double> p = elements(*a.array()), q = elements(*b.array());
  for (size_t i = 0; i < p.size(); ++i)
    ASSERT_NEAR(p[i], q[i], 1e-4 * (1 + std::abs(p[i]))) << where << " at element " << i;
}

const DesiredLayouts kLayouts[] = {
    {{"nn.conv2d", {"NHWC", "OHWI"}}},         {{"relax.nn.conv2d", {"NCHW4c", "OIHW4o"}}},
    {{"nn.conv2d", {"NHWC4c", "OHWI2i4o"}}},   {{"nn.conv2d", {"N2nHWC4c", "OHWI"}}},
    {{"nn.conv2d", {"HWNC", "HWIO"}}},         {{"nn.conv2d", {"NCHW", "OIHW", "NHWC"}}},
    {{"nn.conv2d", {"NCHW", "OIHW", "WHCN"}}}, {{"nn.conv2d", {"N4cHWC2h", "OIHW"}}},
};

class MeansTheSame : public testing::TestWithParam<const char*> {};

TEST_P(MeansTheSame, in_every_layout) {
  Module before = layout_module(std::string("            ") + GetParam());
  Value expected = Evaluator(before).call("main", layout_arguments());
  static unsigned cases = 0;
  for (const DesiredLayouts& desired : kLayouts) {
    if (!is_chosen(cases++, 5)) continue;  // 5 and the number of layouts have no common divisor
    Module after = convert_layout(before, desired);
    for (const Diagnostic& d : verify(after, Stage::Imported)) ADD_FAILURE() << render(d) << print(after);
    expect_close(Evaluator(after).call("main", layout_arguments()), expected, print(after));
    EXPECT_EQ(first_difference(convert_layout(after, desired), after), "") << "not idempotent";
  }
}

INSTANTIATE_TEST_SUITE_P(
    Elementwise, MeansTheSame,
    testing::Values("gv = R.nn.relu(y)", "gv = R.add(y, b)", "gv = R.subtract(b, y)", "gv = R.multiply(y, s)",
                    "gv = R.subtract(one, y)", "gv = R.add(y, m)", "gv = R.add(t, y)", "gv = R.add(y, k)",
                    "gv = R.add(y, R.const(2, \"float32\"))", "gv = R.clip(y, 0, 6)", "gv = R.ewise_fma(y, b, b)",
                    "gv = R.where(R.greater(y, b), y, s)", "gv = R.astype(y, \"float64\")",
                    "gv = R.nn.prelu(y, c, axis=1)",
                    "gv = R.nn.prelu(y, R.strided_slice(c, axes=[0], begin=[0], end=[4]), axis=2)"));

INSTANTIATE_TEST_SUITE_P(
    Axes, MeansTheSame,
    testing::Values("gv = R.nn.softmax(y, axis=1)", "gv = R.nn.log_softmax(y, axis=-1)",
                    "gv = R.nn.layer_norm(y, m, m, axes=[-2, -1])", "gv = R.nn.layer_norm(y, t, t, axes=[1, 2, 3])",
                    "gv = R.nn.rms_norm(y, m, axes=[2, 3])", "gv = R.nn.batch_norm(y, c, c, c, v, axis=1)",
                    "gv = R.nn.batch_norm(y, c, c, c, v, axis=1, training=False)",
                    "gv = R.nn.group_norm(y, c, c, num_groups=2, channel_axis=1, axes=[2, 3])",
                    "gv = R.nn.instance_norm(y, c, c, channel_axis=1, axes=[2, 3])", "gv = R.sum(y)",
                    "gv = R.sum(y, axis=[1, 3])", "gv = R.max(y, axis=[-1], keepdims=True)",
                    "gv = R.mean(y, axis=[0, 1], keepdims=True)", "gv = R.variance(y, axis=[2])",
                    "gv = R.min(y, axis=[0])", "gv = R.flip(y, axis=1)", "gv = R.flip(y, axis=-1)",
                    "gv = R.repeat(y, 3, axis=2)", "gv = R.repeat(y, 2)", "gv = R.tile(y, [2, 1, 3, 1])",
                    "gv = R.tile(y, [3, 2])", "gv = R.tile(y, [2, 1, 3, 1, 2])",
                    "gv = R.nn.pad(y, [0, 0, 0, 0, 1, 2, 3, 0])", "gv = R.nn.pad(y, [0, 0, 2, 0, 0, 0, 0, 0])",
                    "gv = R.strided_slice(y, axes=[2, 3], begin=[1, 0], end=[4, 6], strides=[1, 2])",
                    "gv = R.strided_slice(y, axes=[-3], begin=[1], end=[7])"));

INSTANTIATE_TEST_SUITE_P(Shapes, MeansTheSame,
                         testing::Values("gv = R.concat((y, b), axis=1)",
                                         "gv = R.concat((b, R.nn.relu(y), y), axis=-1)",
                                         "gv = R.concat((y, one), axis=1)", "gv = R.stack((y, b), axis=0)",
                                         "gv = R.stack((y, b), axis=-1)", "gv = R.stack((b, y), axis=2)",
                                         "gv = R.split(y, 2, axis=1)", "gv = R.split(y, 4, axis=1)",
                                         "gv = R.split(y, [4], axis=1)", "gv = R.split(y, [3, 5], axis=1)",
                                         "gv = R.split(y, 4, axis=3)", "gv = R.permute_dims(y)",
                                         "gv = R.permute_dims(y, [3, 1, 0, 2])", "gv = R.expand_dims(y, axis=[1, -3])",
                                         "gv = R.squeeze(R.expand_dims(y, axis=[1, -3]), axis=[1, 3])",
                                         "gv = R.squeeze(R.max(y, axis=[2], keepdims=True))", "gv = R.flatten(y)",
                                         "gv = R.reshape(y, (2, 8, 24))", "gv = R.matmul(y, R.permute_dims(m))",
                                         "gv = R.gather_elements(y, i, axis=1)", "gv = R.gather_elements(b, i, axis=3)",
                                         "gv = R.scatter_elements(y, i, b, axis=2)", "gv = R.scatter_nd(y, j, b)",
                                         "gv = R.take(y, R.const([1, 0], \"int64\"), axis=3)"));

INSTANTIATE_TEST_SUITE_P(
    Windows, MeansTheSame,
    testing::Values("gv = R.nn.max_pool2d(y, (2, 2), strides=(1, 2), padding=(1, 0))",
                    "gv = R.nn.avg_pool2d(y, (2, 3), count_include_pad=True, padding=1)",
                    "gv = R.nn.adaptive_avg_pool2d(y, (2, 3))", "gv = R.image.resize2d(y, (8, 5), method=\"linear\")",
                    "gv = R.nn.conv2d(y, w, padding=1)",
                    "gv = R.nn.conv2d(y, w, padding=1, strides=2, groups=1, dilation=2)",
                    "gv = R.nn.conv2d_transpose(y, w, strides=2, output_padding=1)",
                    "gv = R.nn.conv2d(R.permute_dims(y, [0, 2, 3, 1]), w, data_layout=\"NHWC\", padding=1)"));

INSTANTIATE_TEST_SUITE_P(Structure, MeansTheSame,
                         testing::Values("gv = (y, (b, y))", "gv = R.nn.dropout(y)[0]", "z = y\n            gv = z",
                                         "u = (y, b)\n            z = u[0]\n            gv = R.add(z, u[1])",
                                         "u = (y, b)\n            gv = R.concat(u, axis=1)",
                                         "z = R.match_cast(y, R.Tensor((2, 8, 4, 6), \"float32\"))\n"
                                         "            gv = R.nn.relu(z)",
                                         "u = R.split(y, 2, axis=1)\n            gv = R.add(u[0], u[1])",
                                         "u = ((y, b), R.nn.relu(y))\n            gv = R.add(u[0][0], u[1])"));

// Checks that a module with its own parameters keeps its results, for several layouts.
void expect_same_meaning(const std::string& text, const std::vector<std::vector<int64_t>>& shapes,
                         const std::vector<DesiredLayouts>& layouts) {
  Module before = parse_module(Source::make("test", text), builtin_ops());
  std::vector<Value> args;
  for (const auto& shape : shapes) args.emplace_back(whole_numbers(shape, -4, 4, static_cast<unsigned>(args.size())));
  Value expected = Evaluator(before).call("main", args);
  for (const DesiredLayouts& desired : layouts) {
    Module after = convert_layout(before, desired);
    EXPECT_FALSE(structural_equal(after, before));
    for (const Diagnostic& d : verify(after, Stage::Imported)) ADD_FAILURE() << render(d) << print(after);
    expect_close(Evaluator(after).call("main", args), expected, print(after));
  }
}

TEST(ConvertLayout, one_and_three_spatial_axes) {
  expect_same_meaning(R"(
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor((2, 4, 9), "float32"), w: R.Tensor((4, 2, 3), "float32"), u: R.Tensor((4, 4, 2), "float32")):
        with R.dataflow():
            a = R.nn.conv1d(x, w, groups=2, padding=1)
            b = R.nn.max_pool1d(a, 2, strides=2)
            c = R.nn.conv1d_transpose(b, u, strides=2)
            gv = R.nn.relu(c)
            R.output(gv)
        return gv
)",
                      {{2, 4, 9}, {4, 2, 3}, {4, 4, 2}},
                      {{{"nn.conv1d", {"NWC", "WIO"}}},
                       {{"nn.conv1d", {"NCW2c", "OIW"}}},
                       {{"nn.conv1d_transpose", {"NWC", "WIO"}}, {"nn.conv1d", {"NCW4c", "OIW2o"}}}});
  expect_same_meaning(
      R"(
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor((1, 4, 4, 5, 6), "float32"), w: R.Tensor((4, 4, 2, 2, 2), "float32")):
        with R.dataflow():
            a = R.nn.conv3d(x, w)
            b = R.nn.avg_pool3d(a, 2)
            c = R.image.resize3d(b, (3, 4, 5))
            gv = R.nn.conv3d_transpose(c, w)
            R.output(gv)
        return gv
)",
      {{1, 4, 4, 5, 6}, {4, 4, 2, 2, 2}},
      {{{"nn.conv3d", {"NDHWC", "DHWIO"}}}, {{"nn.conv3d", {"NCDHW4c", "OIDHW4i"}}}, {{"image.resize3d", {"NDHWC"}}}});
}

TEST(ConvertLayout, symbolic_sizes) {
  expect_same_meaning(R"(
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor(("n", 4, "h", 8), "float32"), w: R.Tensor((8, 4, 3, 3), "float32"),
             b: R.Tensor((1, 8, 1, 1), "float32")):
        with R.dataflow():
            a = R.nn.conv2d(x, w, padding=1)
            c = R.nn.max_pool2d(a, (2, 2))
            d = R.add(R.nn.relu(c), b)
            e = R.split(d, 2, axis=1)
            gv = R.concat((e[1], e[0]), axis=-2)
            R.output(gv)
        return gv
)",
                      {{3, 4, 6, 8}, {8, 4, 3, 3}, {1, 8, 1, 1}},
                      {{{"nn.conv2d", {"NHWC", "HWIO"}}}, {{"nn.conv2d", {"NCHW4c", "OIHW4o"}}}});
}

TEST(ConvertLayout, kernels_in_other_layouts_than_the_usual_ones) {
  expect_same_meaning(R"(
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor((2, 1, 6, 6, 4), "float32"), w: R.Tensor((3, 3, 4, 8), "float32")):
        with R.dataflow():
            a = R.nn.conv2d(x, w, data_layout="NCHW4c", kernel_layout="HWIO", out_layout="NHWC")
            gv = R.nn.relu(a)
            R.output(gv)
        return gv
)",
                      {{2, 1, 6, 6, 4}, {3, 3, 4, 8}},
                      {{{"nn.conv2d", {"NHWC4c", "OHWI", "NCHW"}}},
                       {{"nn.conv2d", {"NCHW4c", "HWIO", "NCHW4c"}}},
                       {{"nn.conv2d", {"NCHW4c", "HWIO8o", "NHWC"}}}});
}

TEST(ConvertLayout, other_ops_than_convolutions_have_layouts_too) {
  Module before =
      layout_module("            z = R.image.resize2d(y, (8, 5))\n            gv = R.nn.max_pool2d(z, (2, 2))");
  for (const DesiredLayouts& desired :
       {DesiredLayouts{{"image.resize2d", {"NHWC"}}}, DesiredLayouts{{"image.resize2d", {"NCHW4c"}}},
        DesiredLayouts{{"nn.max_pool2d", {"NHWC", "NCHW4c"}}}, DesiredLayouts{{"nn.max_pool2d", {"NCHW2h"}}}}) {
    Module after = convert_layout(before, desired);
    expect_close(Evaluator(after).call("main", layout_arguments()), Evaluator(before).call("main", layout_arguments()),
                 print(after));
  }
}

TEST(ConvertLayout, each_call_is_asked_for) {
  Module before = layout_module("            gv = R.nn.conv2d(y, w)");
  int asked = 0;
  Module after = convert_layout(before, [&](const Ref<Call>& call) {
    ++asked;
    return find_ref<Var>(call->args[0])->name == "x" ? DesiredLayouts()
                                                     : DesiredLayouts{{"nn.conv2d", {"NHWC", "OHWI"}}};
  });
  EXPECT_EQ(asked, 2);
  EXPECT_EQ(first_difference(after, layout_module(R"(
            a = R.permute_dims(y, [0, 2, 3, 1])
            n = R.permute_dims(w, [0, 2, 3, 1])
            z = R.nn.conv2d(a, n, data_layout="NHWC", kernel_layout="OHWI")
            gv = R.permute_dims(z, [0, 3, 1, 2])
)")),
            "");
}

TEST(ConvertLayout, nothing_wanted_changes_nothing) {
  Module before = layout_module("            gv = R.nn.relu(y)");
  EXPECT_TRUE(convert_layout(before, DesiredLayouts()).same_as(before));
  EXPECT_TRUE(convert_layout(before, {{"nn.conv2d", {"NCHW", "OIHW"}}}).same_as(before));
  EXPECT_TRUE(convert_layout(before, {{"nn.conv2d", {"NCHW3c", "OIHW"}}}).same_as(before));
}

std::string desired_error(const Module& m, const DesiredLayouts& desired) {
  try {
    convert_layout(m, desired);
  } catch (const UserError& e) {
    return e.diagnostics().front().code;
  }
  return "";
}

TEST(ConvertLayout, wishes_that_make_no_sense_are_errors) {
  Module m = layout_module("            gv = R.nn.relu(y)");
  EXPECT_EQ(desired_error(m, {{"nn.conv2", {"NHWC", "OHWI"}}}), "E0514");
  EXPECT_EQ(desired_error(m, {{"nn.conv2d", {"NHWC", "OHWX"}}}), "E0514");
  EXPECT_EQ(desired_error(m, {{"nn.conv2d", {"NHWC", "OHW"}}}), "E0514");
  EXPECT_EQ(desired_error(m, {{"nn.conv2d", {"NHWC4", "OHWI"}}}), "E0514");
  EXPECT_EQ(desired_error(m, {{"nn.conv2d", {"NHWC"}}}), "E0514");
  EXPECT_EQ(desired_error(m, {{"nn.relu", {"NHWC"}}}), "E0514");
}

}  // namespace
}  // namespace sunmao
