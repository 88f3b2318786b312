// What --explain tells of fusion: the kernels that become one, and why others stay apart.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/ops.h"
#include "passes/passes.h"
#include "passes/runner.h"
#include "script/parse.h"

namespace sunmao {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::EndsWith;

std::vector<std::string> explained(const char* body, const char* passes, const char* pass) {
  const std::string text = fmt::format(R"(from tvm.script import ir as I, relax as R
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 8, 16, 16), "float32"), w: R.Tensor((8, 8, 3, 3), "float32")):
        with R.dataflow():
{}
        return r
)",
                                       body);
  std::vector<PipelineStep> steps;
  for (PassCall& call : parse_pass_calls(passes, "test"))
    steps.push_back({call.pass, Stage::Raw, std::move(call.arguments)});
  std::vector<std::string> lines;
  RunnerOptions options;
  options.explain = {pass};
  options.on_explain = [&](const std::string& line) { lines.push_back(line); };
  run_passes(parse_module(Source::make("m.py", text), builtin_ops()), steps, {}, options);
  return lines;
}

constexpr const char* kPasses =
    "normalize, legalize-ops, annotate-op-pattern, fuse-ops(only_kernels=True), fuse-tir, fuse-kernels";

TEST(ExplainedFusion, NamesWhatBecomesOneKernel) {
  const char* body = R"(
            a = R.nn.conv2d(x, w, padding=[1, 1])
            b = R.nn.relu(a)
            r = R.nn.softmax(b, axis=-1)
            R.output(r))";
  EXPECT_THAT(explained(body, kPasses, "fuse-ops"),
              ElementsAre("main: `a` (nn_conv2d), `b` (nn_relu) become fused_nn_conv2d_nn_relu"));
  EXPECT_THAT(explained(body, kPasses, "fuse-kernels"),
              ElementsAre("main: `b` (fused_nn_conv2d_nn_relu) stays apart from `r` (nn_softmax): the latter is not "
                          "elementwise"));
}

TEST(ExplainedFusion, TellsOfKernelsThatJoin) {
  const char* body = R"(
            a = R.permute_dims(x, [0, 1, 3, 2])
            r = R.nn.conv2d(a, w, padding=[1, 1])
            R.output(r))";
  EXPECT_THAT(explained(body, kPasses, "fuse-kernels"),
              ElementsAre("main: `a` (permute_dims) joins `r` (nn_conv2d), as fused_permute_dims_nn_conv2d"));
}

TEST(ExplainedFusion, TellsWhyKernelsStayApart) {
  const char* body = R"(
            a = R.nn.softmax(x, axis=-1)
            b = R.nn.relu(a)
            c = R.sum(a, axis=[1], keepdims=True)
            r = R.multiply(b, c)
            R.output(r))";
  EXPECT_THAT(explained(body, kPasses, "fuse-kernels"), Contains(EndsWith(": others read it too")));
}

}  // namespace
}  // namespace sunmao
