// Errors in ONNX models, and their messages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "frontend/frontend.h"
#include "onnx_writer.h"
#include "ops/ops.h"
#include "outline.h"

namespace sunmao {
namespace {

using namespace test;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

std::string onnx_error(const std::string& bytes) {
  return error_of([&] { read_onnx(io::Bytes::from(bytes), "t.onnx", "", builtin_ops()); });
}
std::string onnx_error(const GraphText& graph, int64_t opset = 18) { return onnx_error(model(graph, opset)); }
std::string error_on_x(const Message& n, std::vector<Message> initializers = {}) {
  return onnx_error(
      {.nodes = {n}, .initializers = std::move(initializers), .inputs = {value_info("x", {"n", 6})}, .outputs = {"y"}});
}

TEST(OnnxErrors, E0601WhatIsNoModel) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / fmt::format("sunmao-not-a-model-{}.bin", getpid());
  const auto error_for = [&](const std::string& content) {
    std::ofstream(path, std::ios::binary) << content;
    return error_of([&] { read_model(path, builtin_ops()); });
  };
  EXPECT_THAT(error_for("hello"), AllOf(HasSubstr("E0601"), HasSubstr("torch.export.save")));
  EXPECT_THAT(error_for(""), AllOf(HasSubstr("E0601"), HasSubstr("it is empty")));
  EXPECT_THAT(error_for("\x80\x02}q"), AllOf(HasSubstr("E0601"), HasSubstr("pickle")));
  EXPECT_THAT(error_for("GGUF...."), AllOf(HasSubstr("E0601"), HasSubstr("weights alone")));
  std::filesystem::remove(path);
  EXPECT_THAT(error_of([&] { read_model(path, builtin_ops()); }), HasSubstr("E0801"));
}

TEST(OnnxErrors, E0602Opsets) {
  GraphText g{
      .nodes = {node("Relu", {"x"}, {"y"})}, .initializers = {}, .inputs = {value_info("x", {2})}, .outputs = {"y"}};
  EXPECT_THAT(onnx_error(g, 6),
              AllOf(HasSubstr("E0602"), HasSubstr("opset 6 is not read: 7 to 28 are"), HasSubstr("opset_version=7")));
  EXPECT_THAT(onnx_error(g, 29), HasSubstr("E0602"));
  EXPECT_EQ(onnx_error(g, 7), "");
  EXPECT_EQ(onnx_error(g, 28), "");
}

TEST(OnnxErrors, E0603WhatIsMissing) {
  EXPECT_THAT(onnx_error(Message().number(1, 8).bytes), AllOf(HasSubstr("E0603"), HasSubstr("no graph")));
  EXPECT_THAT(onnx_error(Message().number(1, 8).message(7, Message()).bytes),
              AllOf(HasSubstr("E0603"), HasSubstr("opset")));
  EXPECT_THAT(onnx_error({.nodes = {}, .initializers = {}, .inputs = {value_info("x", {2})}, .outputs = {}}),
              AllOf(HasSubstr("E0603"), HasSubstr("no outputs")));
}

TEST(OnnxErrors, E0604AllUnsupportedOpsAtOnce) {
  const std::string text =
      onnx_error({.nodes = {node("Foo", {"x"}, {"a"}), node("Relu", {"a"}, {"b"}), node("Foo", {"b"}, {"c"}),
                            node("Bar", {"x"}, {"d"}, {}, "com.me"), node("Softmaxx", {"x"}, {"e"}),
                            node("Add", {"x", "missing_too"}, {"y"})},
                  .initializers = {ints("i", {0})},
                  .inputs = {value_info("x", {2, 2})},
                  .outputs = {"y"}});
  EXPECT_THAT(text, AllOf(HasSubstr("E0604"), HasSubstr("3 ops of this model cannot be read from ONNX (4 nodes)"),
                          HasSubstr("`Foo`: 2 times, first at node `Foo_of_a`"), HasSubstr("`com.me::Bar`: 1 time"),
                          HasSubstr("`Softmaxx`: 1 time, first at node `Softmaxx_of_e`; did you mean `Softmax`"),
                          Not(HasSubstr("Relu"))));
}

TEST(OnnxErrors, E0604OpsInsideBranchesAndLoops) {
  const Message loop = node("Loop", {"", "c"}, {"z"}, {graph_attr("body", {node("Bar", {"i"}, {"o"})})});
  const std::string text = error_on_x(node("If", {"x"}, {"y"},
                                           {graph_attr("then_branch", {node("Relu", {"x"}, {"t"}), loop}),
                                            graph_attr("else_branch", {node("Foo", {"x"}, {"e"})})}));
  EXPECT_THAT(
      text,
      AllOf(
          HasSubstr("3 ops of this model cannot be read from ONNX (3 nodes)"),
          HasSubstr("`If whose branches give no values or different numbers of them`: 1 time, first at node `If_of_y`"),
          HasSubstr("first at node `If_of_y`, `then_branch`, node `Loop_of_z`, `body`, node `Bar_of_o`"),
          HasSubstr("`Foo`: 1 time, first at node `If_of_y`, `else_branch`"), Not(HasSubstr("Relu"))));
}

TEST(OnnxErrors, E0604OpsBehindOneThatIsNotRead) {
  const std::string text = onnx_error({.nodes = {node("Foo", {"x"}, {"a"}), node("Relu", {"a"}, {"b"}),
                                                 node("Gather", {"b", "i"}, {"c"}), node("Concat", {"c", "a"}, {"d"}),
                                                 node("Gather", {"d", "i"}, {"e"}), node("Reshape", {"x", "f"}, {"y"})},
                                       .initializers = {ints("i", {0}), ints("f", {4})},
                                       .inputs = {value_info("x", {2, 2})},
                                       .outputs = {"y"}});
  EXPECT_THAT(text, AllOf(HasSubstr("1 op of this model cannot be read from ONNX (1 node)"), HasSubstr("`Foo`: 1 time"),
                          Not(HasSubstr("Relu")), Not(HasSubstr("Gather"))));
}

TEST(OnnxErrors, E0604ShapesOfWhatIsNotReadAreNoFindings) {
  const std::string text = onnx_error(
      {.nodes = {node("Foo", {"x"}, {"a"}), node("Shape", {"a"}, {"s"}), node("Gather", {"s", "i"}, {"t"}),
                 node("Bar", {"t"}, {"u"}), node("Concat", {"u", "t"}, {"v"}), node("Reshape", {"a", "v"}, {"y"})},
       .initializers = {ints("i", {0})},
       .inputs = {value_info("x", {2, 2})},
       .outputs = {"y"}});
  EXPECT_THAT(text, AllOf(HasSubstr("2 ops of this model"), HasSubstr("`Foo`"), HasSubstr("`Bar`")));
}

TEST(OnnxErrors, E0604NamesTheNewExporterToThoseWhoUsedTheOldOne) {
  const auto report = [](const std::string& producer, int64_t opset) {
    const std::string bytes = model(
        {.nodes = {node("Foo", {"x"}, {"y"})}, .initializers = {}, .inputs = {value_info("x", {2})}, .outputs = {"y"}},
        opset);
    return onnx_error(Message().text(2, producer).bytes + bytes);
  };
  EXPECT_THAT(report("pytorch", 17), HasSubstr("dynamo=True"));
  EXPECT_THAT(report("pytorch", 18), AllOf(HasSubstr("replace these layers"), Not(HasSubstr("dynamo"))));
  EXPECT_THAT(report("keras2onnx", 12), Not(HasSubstr("dynamo")));
}

TEST(OnnxErrors, E0605TensorsWhoseDataIsNotWhatTheirShapeSays) {
  EXPECT_THAT(error_on_x(node("Add", {"x", "w"}, {"y"}), {raw_tensor<float>("w", kFloat, {3}, {1, 2})}),
              AllOf(HasSubstr("E0605"), HasSubstr("tensor `w` holds 8 bytes, its shape and type ask for 12"),
                    HasSubstr("initializer `w`")));
  EXPECT_THAT(error_on_x(node("Add", {"x", "w"}, {"y"}), {tensor_header("w", kFloat, {3}).real(4, 1)}),
              HasSubstr("holds 1 values"));
  EXPECT_THAT(error_on_x(node("Add", {"x", "w"}, {"y"}), {raw_tensor<float>("w", kFloat, {-1}, {1})}),
              HasSubstr("E0605"));
  EXPECT_THAT(error_on_x(node("Add", {"x", "w"}, {"y"}), {raw_tensor<float>("w", kFloat, {INT64_MAX, INT64_MAX}, {1})}),
              HasSubstr("E0605"));
  EXPECT_THAT(error_on_x(node("Add", {"x", "w"}, {"y"}), {tensor_header("w", kFloat, {int64_t{1} << 40})}),
              HasSubstr("E0605"));
}

TEST(OnnxErrors, E0607Names) {
  EXPECT_THAT(
      error_on_x(node("Relu", {"z"}, {"y"})),
      AllOf(HasSubstr("E0607"), HasSubstr("`z` is used before anything defines it"), HasSubstr("node `Relu_of_y`")));
  EXPECT_THAT(error_on_x(node("Add", {"x", "y"}, {"y"})),
              AllOf(HasSubstr("E0607"), HasSubstr("`y` is used before anything defines it")));
  EXPECT_THAT(error_on_x(node("Relu", {"x"}, {"x"})), AllOf(HasSubstr("E0607"), HasSubstr("`x` is defined twice")));
  EXPECT_THAT(error_on_x(node("Relu", {"x"}, {"z"})),
              AllOf(HasSubstr("E0607"), HasSubstr("nothing defines the output `y`")));
}

TEST(OnnxErrors, E0608TypesThatAreNotRead) {
  GraphText g{.nodes = {node("Relu", {"x"}, {"y"})},
              .initializers = {},
              .inputs = {value_info("x", {2}, kString)},
              .outputs = {"y"}};
  EXPECT_THAT(onnx_error(g), AllOf(HasSubstr("E0608"), HasSubstr("string")));
  g.inputs = {Message().text(1, "x")};
  EXPECT_THAT(onnx_error(g), HasSubstr("E0608"));
  EXPECT_EQ(error_on_x(node("Shape", {"x"}, {"y"})), "");
  EXPECT_THAT(error_on_x(node("Add", {"x", "w"}, {"y"}), {tensor_header("w", kString, {1})}),
              AllOf(HasSubstr("E0604"), HasSubstr("Add of a tensor of string")));
}

TEST(OnnxErrors, E0609Attributes) {
  EXPECT_THAT(error_on_x(node("Flatten", {"x"}, {"y"}, {int_attr("axis", 5)})),
              AllOf(HasSubstr("E0609"), HasSubstr("axis 5 is out of range for rank 2")));
  EXPECT_THAT(error_on_x(node("Relu", {}, {"y"})), AllOf(HasSubstr("E0609"), HasSubstr("input 0 is missing")));
  EXPECT_THAT(error_on_x(node("Reshape", {"x", "s"}, {"y"}), {ints("s", {-1, -1})}),
              AllOf(HasSubstr("E0609"), HasSubstr("more than one -1")));
  EXPECT_THAT(error_on_x(node("Reshape", {"x", "s"}, {"y"}), {ints("s", {0, 0, 0})}), HasSubstr("E0609"));
}

TEST(OnnxErrors, WhatInferenceFindsNamesTheNode) {
  EXPECT_THAT(error_on_x(node("MatMul", {"x", "w"}, {"y"}), {floats("w", {7, 2})}),
              AllOf(HasSubstr("E0311"), HasSubstr("t.onnx: node `MatMul_of_y`")));
  EXPECT_THAT(error_on_x(node("Transpose", {"x"}, {"y"}, {ints_attr("perm", {0, 0})})), HasSubstr("E0203"));
}

TEST(OnnxErrors, SizesBehindLongArithmeticAreReadAtRunTime) {
  GraphText g{.nodes = {node("Shape", {"x"}, {"s0"})},
              .initializers = {},
              .inputs = {value_info("x", {"n", "m"})},
              .outputs = {"y"}};
  for (int i = 0; i < 40; ++i)
    g.nodes.push_back(node("Mul", {"s" + std::to_string(i), "s" + std::to_string(i)}, {"s" + std::to_string(i + 1)}));
  g.nodes.push_back(node("Reshape", {"x", "s40"}, {"y"}));
  const Model read = read_onnx(io::Bytes::from(model(g)), "t.onnx", "", builtin_ops());
  EXPECT_THAT(body_of(read), Contains(HasSubstr("tensor_to_shape")));
}

}  // namespace
}  // namespace sunmao
