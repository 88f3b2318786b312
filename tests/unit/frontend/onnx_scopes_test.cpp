// Functions, bodies with a known condition or count, and what becomes of each node.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/frontend.h"
#include "onnx_writer.h"
#include "ops/ops.h"
#include "outline.h"
#include "script/parse.h"

namespace sunmao {
namespace {

using namespace test;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

GraphText graph_of(std::vector<Message> nodes, std::vector<Message> initializers = {}) {
  return {.nodes = std::move(nodes),
          .initializers = std::move(initializers),
          .inputs = {value_info("x", {"n", 6})},
          .outputs = {"y"}};
}

Model read(const std::string& bytes, std::vector<NodeAccount>* nodes = nullptr) {
  Model m = read_onnx(io::Bytes::from(bytes), "t.onnx", "", builtin_ops(), {.nodes = nodes});
  EXPECT_EQ(findings_of(m), "");
  return m;
}

Message graph(const std::string& attribute, const std::vector<std::string>& inputs, const std::vector<Message>& nodes,
              const std::vector<std::string>& outputs) {
  Message body;
  for (const Message& n : nodes) body.message(1, n);
  for (const std::string& i : inputs) body.message(11, Message().text(1, i));
  for (const std::string& o : outputs) body.message(12, Message().text(1, o));
  return Message().text(1, attribute).message(6, body).number(20, 5);
}

Message reference_attr(const std::string& name, const std::string& of, int type) {
  return Message().text(1, name).text(21, of).number(20, type);
}

/// A function `my::Leaky` with the attribute `slope`.
std::string leaky_function(const std::vector<Message>& nodes) {
  Message f = Message().text(1, "Leaky").text(4, "a").text(5, "b").text(6, "slope").text(10, "my");
  for (const Message& n : nodes) f.message(7, n);
  f.message(9, Message().text(1, "").number(2, 18));
  return Message().message(25, f).bytes;
}

TEST(OnnxFunctions, AreReadInPlaceOfTheirCallsWithTheAttributesOfTheCall) {
  const std::string calls = model(graph_of({node("Leaky", {"x"}, {"t"}, {float_attr("slope", 0.5f)}, "my"),
                                            node("Leaky", {"t"}, {"y"}, {float_attr("slope", 0.25f)}, "my")}),
                                  18);
  const std::string function = leaky_function({node("LeakyRelu", {"a"}, {"b"}, {reference_attr("alpha", "slope", 1)})});
  std::vector<NodeAccount> nodes;
  const Model m = read(calls + function, &nodes);
  EXPECT_THAT(body_of(m), ElementsAre(StartsWith("b = nn.leakyrelu(x, alpha=?)"), StartsWith("b1 = nn.leakyrelu(b"),
                                      StartsWith("gv = b1"), "return gv"));
  EXPECT_THAT(nodes, SizeIs(4));  // two calls, and a node in each
}

TEST(OnnxFunctions, ThatCallThemselvesAreRefused) {
  const std::string calls = model(graph_of({node("Leaky", {"x"}, {"y"}, {}, "my")}), 18);
  const std::string function = leaky_function({node("Leaky", {"a"}, {"b"}, {}, "my")});
  EXPECT_THROW(read(calls + function), UserError);
}

TEST(OnnxIf, TheBranchOfAKnownConditionStandsInPlace) {
  const Message yes = node("Equal", {"r", "two"}, {"c"});
  const Message rank = node("Size", {"s"}, {"r"});
  const Message branch = node("If", {"c"}, {"y"},
                              {graph("then_branch", {}, {node("Relu", {"x"}, {"t"})}, {"t"}),
                               graph("else_branch", {}, {node("Neg", {"x"}, {"e"})}, {"e"})});
  std::vector<NodeAccount> nodes;
  const Model m =
      read(model(graph_of({node("Shape", {"x"}, {"s"}), rank, yes, branch}, {int_scalar("two", 2)}), 18), &nodes);
  EXPECT_THAT(body_of(m), ElementsAre(StartsWith("t = nn.relu(x)"), StartsWith("gv = t"), "return gv"));
  ASSERT_THAT(nodes, SizeIs(5));
  EXPECT_EQ(nodes[0].fate, Fate::Folded);   // Shape
  EXPECT_EQ(nodes[3].fate, Fate::Inlined);  // If
  EXPECT_EQ(nodes[4].fate, Fate::Mapped);   // Relu
}

TEST(OnnxLoop, OfAKnownNumberOfIterationsIsUnrolled) {
  const Message loop = node(
      "Loop", {"three", "", "x"}, {"y", "all"},
      {graph("body", {"i", "c", "a"}, {node("Relu", {"a"}, {"b"}), node("Identity", {"c"}, {"d"})}, {"d", "b", "b"})});
  const Model m = read(model(graph_of({loop}, {int_scalar("three", 3)}), 18));
  EXPECT_THAT(body_of(m), ElementsAre(StartsWith("b = nn.relu(x)"), StartsWith("b1 = nn.relu(b)"),
                                      StartsWith("b2 = nn.relu(b1)"), StartsWith("gv = b2"), "return gv"));
}

TEST(OnnxScan, TakesASliceForEachIterationAndStacksTheResults) {
  const Message scan = node("Scan", {"x"}, {"y"},
                            {graph("body", {"row"}, {node("Relu", {"row"}, {"r"})}, {"r"}),
                             int_attr("num_scan_inputs", 1), ints_attr("scan_input_axes", {1})});
  const auto lines = body_of(read(model(graph_of({scan}), 18)));
  EXPECT_THAT(lines, SizeIs(14));  // six slices, six results, their stack, what is returned
  EXPECT_THAT(lines, Contains(HasSubstr("stack(")));
}

TEST(NodeAccounts, DeadNodesAreDroppedAndEachNodeIsCountedOnce) {
  std::vector<NodeAccount> nodes;
  read(model(graph_of({node("Relu", {"x"}, {"y"}), node("Neg", {"x"}, {"dead"}), node("Identity", {"dead"}, {"z"})}),
             18),
       &nodes);
  ASSERT_THAT(nodes, SizeIs(3));
  EXPECT_EQ(nodes[0].fate, Fate::Mapped);
  EXPECT_EQ(nodes[0].bindings, 1);
  EXPECT_EQ(nodes[1].fate, Fate::Dropped);
  EXPECT_EQ(nodes[2].fate, Fate::Folded);
  for (const NodeAccount& n : nodes) EXPECT_NE(n.label, "");
}

TEST(OnnxNumbers, OfRankZeroStandInTheText) {
  const Model m =
      read(model(graph_of({node("Mul", {"x", "half"}, {"y"})}, {raw_tensor<float>("half", kFloat, {}, {0.5f})}), 18));
  EXPECT_THAT(body_of(m), ElementsAre(StartsWith("y = multiply(x, 0.5)"), "return y"));
  EXPECT_EQ(m.weights.size(), 0u);
}

TEST(CustomConverters, GoBeforeTheFrontEndsOwn) {
  ReadOptions options;
  options.custom["Foo"] = [](const CustomNode& n) {
    EXPECT_EQ(n.attributes.at("k").find<int64_t>() ? *n.attributes.at("k").find<int64_t>() : 0, 7);
    return std::vector<Expr>{Call::make(builtin_ops().get("nn.relu", {}), {n.inputs[0]})};
  };
  const std::string bytes = model(graph_of({node("Foo", {"x"}, {"y"}, {int_attr("k", 7)})}), 18);
  const Model m = read_onnx(io::Bytes::from(bytes), "t.onnx", "", builtin_ops(), options);
  EXPECT_THAT(body_of(m), ElementsAre(StartsWith("y = nn.relu(x)"), "return y"));
}

TEST(CustomOps, AreFunctionsOfAModule) {
  ReadOptions options;
  options.custom_ops = {parse_module(Source::make("ops.py", R"(
@I.ir_module
class Ops:
    @R.function(private=True)
    def foo(x: R.Tensor(("m", 6), "float32"), k: R.Prim(value="j")) -> R.Tensor(("m", 6, "j"), "float32"):
        R.func_attr({"sunmao.op": {"onnx": "Foo"}})
        m, j = T.int64(), T.int64()
        a = R.reshape(x, R.shape([m, 6, 1]))
        return R.broadcast_to(a, R.shape([m, 6, j]))
)"),
                                     builtin_ops())};
  const std::string bytes = model(graph_of({node("Foo", {"x"}, {"y"}, {int_attr("k", 7)})}), 18);
  const Model m = read_onnx(io::Bytes::from(bytes), "t.onnx", "", builtin_ops(), options);
  const Ref<Function> main = m.module.find_as<Function>("main");
  EXPECT_THAT(body_of(m), Contains(HasSubstr("broadcast_to(a")));
  EXPECT_EQ(describe(main->body->type), "Tensor((n, 6, 7), \"float32\")");
}

}  // namespace
}  // namespace sunmao
