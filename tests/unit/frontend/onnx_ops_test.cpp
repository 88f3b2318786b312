// Import of ONNX ops, with all attributes and opset versions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/frontend.h"
#include "onnx_writer.h"
#include "ops/ops.h"
#include "outline.h"

namespace sunmao {
namespace {

using namespace test;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

Model read_ops(const GraphText& graph, int64_t opset = 18) {
  return read_onnx(io::Bytes::from(model(graph, opset)), "t.onnx", "", builtin_ops());
}

/// Returns a graph of one node on x: (n, 6) with output y.
GraphText on_x(const Message& n, std::vector<Message> initializers = {}) {
  return {
      .nodes = {n}, .initializers = std::move(initializers), .inputs = {value_info("x", {"n", 6})}, .outputs = {"y"}};
}

std::vector<std::string> onnx_body(const GraphText& graph, int64_t opset = 18) {
  Model m = read_ops(graph, opset);
  EXPECT_EQ(findings_of(m), "");
  return body_of(m);
}

TEST(OnnxGemm, FlagsBecomePlainOps) {
  auto lines = onnx_body({.nodes = {node("Gemm", {"a", "b", "c"}, {"y"},
                                         {int_attr("transA", 1), int_attr("transB", 1), float_attr("alpha", 2),
                                          float_attr("beta", 0.5f)})},
                          .initializers = {floats("b", {4, 6}), floats("c", {4})},
                          .inputs = {value_info("a", {6, "n"})},
                          .outputs = {"y"}});
  EXPECT_THAT(lines, ElementsAre(StartsWith("lv = permute_dims(a, axes=[1, 0])"),
                                 StartsWith("lv1 = permute_dims(b, axes=[1, 0])"), StartsWith("lv2 = matmul(lv, lv1)"),
                                 StartsWith("lv3 = multiply(lv2, 2)"), StartsWith("lv4 = multiply(c, 0.5)"),
                                 "y = add(lv3, lv4): Tensor((n, 4), \"float32\")", "return y"));
}

TEST(OnnxGemm, WithoutBiasOrWithBetaZeroItIsAProduct) {
  EXPECT_THAT(onnx_body(on_x(node("Gemm", {"x", "w"}, {"y"}), {floats("w", {6, 4})})),
              ElementsAre(StartsWith("y = matmul(x, w)"), "return y"));
  EXPECT_THAT(onnx_body(on_x(node("Gemm", {"x", "w", "c"}, {"y"}, {float_attr("beta", 0)}),
                             {floats("w", {6, 4}), floats("c", {4})})),
              ElementsAre(StartsWith("y = matmul(x, w)"), "return y"));
}

TEST(OnnxElementwise, ArithmeticAndRelu) {
  EXPECT_THAT(onnx_body(on_x(node("Add", {"x", "w"}, {"y"}), {floats("w", {6})})),
              Contains(StartsWith("y = add(x, w)")));
  EXPECT_THAT(onnx_body(on_x(node("Sub", {"x", "w"}, {"y"}), {floats("w", {1, 6})})),
              Contains(StartsWith("y = subtract(x, w)")));
  EXPECT_THAT(onnx_body(on_x(node("Mul", {"x", "x"}, {"y"}))), Contains(StartsWith("y = multiply(x, x)")));
  EXPECT_THAT(onnx_body(on_x(node("Relu", {"x"}, {"y"}))), Contains("y = nn.relu(x): Tensor((n, 6), \"float32\")"));
}

TEST(OnnxElementwise, TheDomainOfOnnxMayBeWrittenOut) {
  EXPECT_THAT(onnx_body(on_x(node("Relu", {"x"}, {"y"}, {}, "ai.onnx"))), Contains(StartsWith("y = nn.relu(x)")));
}

TEST(OnnxElementwise, IdentityLeavesNothing) {
  EXPECT_THAT(onnx_body(on_x(node("Identity", {"x"}, {"y"}))), ElementsAre("return x"));
  EXPECT_THAT(onnx_body({.nodes = {node("Relu", {"x"}, {"r"}), node("Identity", {"r"}, {"y"})},
                         .initializers = {},
                         .inputs = {value_info("x", {3})},
                         .outputs = {"y"}}),
              ElementsAre(StartsWith("r = nn.relu(x)"), StartsWith("gv = r"), "return gv"));
}

TEST(OnnxLayout, TransposeReversesByDefault) {
  EXPECT_THAT(onnx_body(on_x(node("Transpose", {"x"}, {"y"}))),
              Contains("y = permute_dims(x, axes=[1, 0]): Tensor((6, n), \"float32\")"));
  EXPECT_THAT(onnx_body(on_x(node("Transpose", {"x"}, {"y"}, {ints_attr("perm", {0, 1})}))), ElementsAre("return x"));
}

TEST(OnnxLayout, ReshapeResolvesZeroAndMinusOne) {
  EXPECT_THAT(onnx_body(on_x(node("Reshape", {"x", "s"}, {"y"}), {ints("s", {0, 2, -1})})),
              Contains("y = reshape(x, Shape((n, 2, 3))): Tensor((n, 2, 3), \"float32\")"));
  EXPECT_THAT(onnx_body(on_x(node("Reshape", {"x", "s"}, {"y"}), {ints("s", {-1})})),
              Contains("y = reshape(x, Shape((n * 6,))): Tensor((n * 6,), \"float32\")"));
  GraphText empty{.nodes = {node("Reshape", {"x", "s"}, {"y"}, {int_attr("allowzero", 1)})},
                  .initializers = {ints("s", {3, 0})},
                  .inputs = {value_info("x", {0, 7})},
                  .outputs = {"y"}};
  EXPECT_THAT(onnx_body(empty), Contains("y = reshape(x, Shape((3, 0))): Tensor((3, 0), \"float32\")"));
}

TEST(OnnxLayout, FlattenMakesAMatrix) {
  GraphText g{.nodes = {node("Flatten", {"x"}, {"y"}, {int_attr("axis", -1)})},
              .initializers = {},
              .inputs = {value_info("x", {"n", 2, 3})},
              .outputs = {"y"}};
  EXPECT_THAT(onnx_body(g), Contains("y = reshape(x, Shape((n * 2, 3))): Tensor((n * 2, 3), \"float32\")"));
  g.nodes = {node("Flatten", {"x"}, {"y"}, {int_attr("axis", 0)})};
  EXPECT_THAT(onnx_body(g), Contains(HasSubstr("Tensor((1, n * 6)")));
  g.nodes = {node("Flatten", {"x"}, {"y"})};
  EXPECT_THAT(onnx_body(g), Contains(HasSubstr("Tensor((n, 6)")));
}

TEST(OnnxReduce, AxesAreAnAttributeBeforeAndAnInputAfter) {
  const Message old_mean = node("ReduceMean", {"x"}, {"y"}, {ints_attr("axes", {1}), int_attr("keepdims", 0)});
  EXPECT_THAT(onnx_body(on_x(old_mean), 17),
              Contains("y = mean(x, axis=[1], keepdims=False): Tensor((n,), \"float32\")"));
  EXPECT_THAT(onnx_body(on_x(node("ReduceMean", {"x", "a"}, {"y"}), {ints("a", {-1})}), 18),
              Contains("y = mean(x, axis=[-1], keepdims=True): Tensor((n, 1), \"float32\")"));
  EXPECT_THAT(onnx_body(on_x(node("ReduceSum", {"x"}, {"y"}, {ints_attr("axes", {0})})), 12),
              Contains(StartsWith("y = sum(x, axis=[0], keepdims=True)")));
  EXPECT_THAT(onnx_body(on_x(node("ReduceSum", {"x", "a"}, {"y"}), {ints("a", {0})}), 13),
              Contains(StartsWith("y = sum(x, axis=[0], keepdims=True)")));
}

TEST(OnnxReduce, WithoutAxesItReducesAllOrNothing) {
  EXPECT_THAT(onnx_body(on_x(node("ReduceSum", {"x"}, {"y"}, {int_attr("keepdims", 0)}))),
              Contains("y = sum(x, keepdims=False): Tensor((), \"float32\")"));
  EXPECT_THAT(onnx_body(on_x(node("ReduceSum", {"x", ""}, {"y"}, {int_attr("noop_with_empty_axes", 1)}))),
              ElementsAre("return x"));
}

/// Returns the type of a Reshape of x: (n, 6) to the target "s" that `nodes` compute.
std::string reshaped_type(std::vector<Message> nodes, std::vector<Message> initializers, int64_t opset = 18) {
  nodes.push_back(node("Reshape", {"x", "s"}, {"y"}));
  Model m = read_ops({.nodes = std::move(nodes),
                      .initializers = std::move(initializers),
                      .inputs = {value_info("x", {"n", 6})},
                      .outputs = {"y"}},
                     opset);
  EXPECT_TRUE(m.weights.empty());
  const Binding* y = find_binding(m, "y");
  return y ? describe(y->var->type) : "x itself";
}

TEST(OnnxShapes, TheUsualChainIsEvaluated) {
  EXPECT_EQ(reshaped_type(
                {node("Shape", {"x"}, {"sh"}), node("Gather", {"sh", "zero"}, {"b"}),
                 node("Unsqueeze", {"b", "ax"}, {"b1"}), node("Concat", {"b1", "tail"}, {"s"}, {int_attr("axis", 0)})},
                {int_scalar("zero", 0), ints("ax", {0}), ints("tail", {2, 3})}),
            "Tensor((n, 2, 3), \"float32\")");
}

TEST(OnnxShapes, SliceSqueezeCastAndArithmetic) {
  EXPECT_EQ(
      reshaped_type(
          {node("Shape", {"x"}, {"sh"}), node("Slice", {"sh", "one", "end", "zero"}, {"last"}),
           node("Squeeze", {"last"}, {"k"}), node("Cast", {"k"}, {"k32"}, {int_attr("to", kInt32)}),
           node("Cast", {"k32"}, {"k64"}, {int_attr("to", kInt64)}), node("Mul", {"k64", "two"}, {"k2"}),
           node("Reshape", {"k2", "minus"}, {"k3"}), node("Concat", {"minus", "k3"}, {"s"}, {int_attr("axis", 0)})},
          {ints("one", {1}), ints("end", {INT64_MAX}), ints("zero", {0}), int_scalar("two", 2), ints("minus", {-1})}),
      "Tensor((n * 6 // 12, 12), \"float32\")");
}

TEST(OnnxShapes, SliceByAttributesAndShapeWithBounds) {
  EXPECT_EQ(reshaped_type({node("Shape", {"x"}, {"sh"}),
                           node("Slice", {"sh"}, {"b"}, {ints_attr("starts", {-2}), ints_attr("ends", {1})}),
                           node("Unsqueeze", {"k"}, {"k1"}, {ints_attr("axes", {0})}),
                           node("Concat", {"k1", "b"}, {"s"}, {int_attr("axis", 0)})},
                          {int_scalar("k", 6)}, 9),
            "Tensor((6, n), \"float32\")");
  EXPECT_EQ(reshaped_type({node("Shape", {"x"}, {"b"}, {int_attr("start", 0), int_attr("end", 1)}),
                           node("Concat", {"b", "tail"}, {"s"}, {int_attr("axis", 0)})},
                          {ints("tail", {3, 2})}),
            "Tensor((n, 3, 2), \"float32\")");
}

TEST(OnnxShapes, NegativeStepsRunBackwards) {
  EXPECT_EQ(reshaped_type({node("Shape", {"x"}, {"sh"}), node("Slice", {"sh", "last", "end", "", "back"}, {"s"})},
                          {ints("last", {-1}), ints("end", {INT64_MIN}), ints("back", {-1})}),
            "Tensor((6, n), \"float32\")");
}

TEST(OnnxConstants, NodesAreWeightsOrShapes) {
  Model m =
      read_ops({.nodes = {node("Constant", {}, {"w"}, {tensor_attr("value", floats("", {6}))}),
                          node("Add", {"x", "w"}, {"y"}), node("Constant", {}, {"unused"}, {int_attr("value_int", 3)})},
                .initializers = {},
                .inputs = {value_info("x", {"n", 6})},
                .outputs = {"y"}});
  EXPECT_THAT(body_of(m), ElementsAre(StartsWith("y = add(x, w)"), "return y"));
  EXPECT_EQ(m.weights.at("w").as<float>()[5], 5.5f);
  EXPECT_EQ(m.weights.size(), 1u);
}

}  // namespace
}  // namespace sunmao
