// Scales that are folded into weights keep the results.
#include <gtest/gtest.h>

#include <cmath>

#include "eval/evaluator.h"
#include "ops/ops.h"
#include "passes/pass.h"
#include "script/parse.h"
#include "script/print.h"

namespace sunmao {
namespace {

// Steps on `x`, followed by weight parameters; the last step is the result.
struct Program {
  const char* params;
  std::vector<const char*> steps;
};

Module scale_module(const Program& p) {
  std::string text = std::string("@I.ir_module\nclass M:\n    @R.function\n    def main(") + p.params +
                     "):\n        R.func_attr({\"num_input\": 1})\n        with R.dataflow():\n";
  for (const char* step : p.steps) text += std::string("            ") + step + "\n";
  return parse_module(Source::make("test.py", text + "            R.output(y)\n        return y\n"), builtin_ops());
}

std::vector<Value> scale_arguments(const Module& m) {
  std::vector<Value> out;
  for (const Ref<Var>& p : m.find_as<Function>("main")->params) {
    std::vector<int64_t> shape;
    int64_t count = 1;
    for (const Scalar& d : *find<TensorType>(p->type)->dims()) {
      shape.push_back(*find_int(d));
      count *= shape.back();
    }
    std::vector<float> values;
    for (int64_t i = 0; i < count; ++i)
      values.push_back(std::fmod(static_cast<float>(i + 1 + static_cast<int64_t>(out.size())) * 0.37F, 2.0F) - 0.9F);
    out.emplace_back(Array::from_floats(std::move(shape), values));
  }
  return out;
}

TEST(ScaleMeaning, stays) {
  const char* image =
      "x: R.Tensor((2, 4, 5, 5), \"float32\"), w: R.Tensor((6, 4, 3, 3), \"float32\"), s: "
      "R.Tensor((6, 1, 1), \"float32\"), d: R.Tensor((4, 1, 1), \"float32\")";
  const char* last =
      "x: R.Tensor((2, 5, 5, 4), \"float32\"), w: R.Tensor((3, 3, 4, 6), \"float32\"), s: R.Tensor((6,), "
      "\"float32\"), d: R.Tensor((4,), \"float32\")";
  const char* turned =
      "x: R.Tensor((2, 4, 5), \"float32\"), w: R.Tensor((4, 3, 3), \"float32\"), s: R.Tensor((6, 1), "
      "\"float32\"), d: R.Tensor((4, 1), \"float32\")";
  const char* rows =
      "x: R.Tensor((3, 4), \"float32\"), w: R.Tensor((2, 4, 5), \"float32\"), s: R.Tensor((1, 1, 5), "
      "\"float32\"), d: R.Tensor((4,), \"float32\")";
  const std::vector<Program> programs{
      {image, {"a = R.multiply(x, d)", "c = R.nn.conv2d(a, w, padding=1)", "y = R.divide(c, s)"}},
      {image,
       {"c = R.nn.conv2d(x, w, strides=2)", "n = R.negative(c)", "b = R.subtract(s, n)", "y = R.multiply(s, b)"}},
      {image, {"c = R.nn.conv2d(x, w)", "l = R.nn.leakyrelu(c)", "y = R.multiply(l, R.const(3.0, \"float32\"))"}},
      {last,
       {"a = R.divide(x, d)", "c = R.nn.conv2d(a, w, data_layout=\"NHWC\", kernel_layout=\"HWIO\")",
        "y = R.multiply(c, s)"}},
      {turned, {"a = R.multiply(d, x)", "y = R.nn.conv1d_transpose(a, w, groups=2, strides=2)"}},
      {rows, {"a = R.multiply(x, d)", "c = R.matmul(a, w)", "y = R.multiply(c, s)"}},
  };
  for (const Program& p : programs) {
    const Module before = scale_module(p), after = find_pass("fold-scale-axis")->run(before, PassContext{});
    SCOPED_TRACE(print(after));
    EXPECT_FALSE(after.same_as(before));
    const Value a = Evaluator(before).call("main", scale_arguments(before)),
                b = Evaluator(after).call("main", scale_arguments(before));
    ASSERT_EQ(a.array()->shape(), b.array()->shape());
    for (size_t i = 0; i < static_cast<size_t>(a.array()->count()); ++i)
      ASSERT_NEAR(a.array()->as<float>()[i], b.array()->as<float>()[i],
                  1e-4 * std::max(1.0, std::abs(static_cast<double>(a.array()->as<float>()[i]))));
  }
}

}  // namespace
}  // namespace sunmao
