// Writes in place: all tensors that share the memory get new values, buffers become state, inputs further results.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "outline.h"
#include "pt2_writer.h"

namespace sunmao {
namespace {

using namespace test;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::string op(const std::string& target, const std::string& self, const std::string& output,
               const std::vector<std::string>& more = {}) {
  std::vector<std::string> inputs{tensor_input("self", self)};
  inputs.insert(inputs.end(), more.begin(), more.end());
  return node_json("torch.ops.aten." + target, inputs, output);
}

std::string number(const std::string& name, int64_t value) {
  return input_json(name, fmt::format(R"("as_int":{})", value));
}

std::vector<std::string> body(Program p) {
  Model m = read_program(p);
  EXPECT_EQ(findings_of(m), "");
  return body_of(m);
}

TEST(TorchAliases, AWriteIsSeenThroughTheOtherNamesOfTheMemory) {
  // a = relu(x); b = a.detach(); b.neg_(); y = a
  const auto lines = body({.nodes = {op("relu.default", "x", "a"), op("detach.default", "a", "b"),
                                     op("neg_.default", "b", "c"), op("exp.default", "a", "y")}});
  EXPECT_THAT(lines, ElementsAre(StartsWith("a = nn.relu(x)"), StartsWith("c = negative(a)"), StartsWith("y = exp(c)"),
                                 "return y"));
}

TEST(TorchAliases, AWriteThroughAViewWritesTheWhole) {
  // a = relu(x); v = a.select(1, 2); v.neg_(); y = exp(a)
  const auto lines =
      body({.nodes = {op("relu.default", "x", "a"), op("select.int", "a", "v", {number("dim", 1), number("index", 2)}),
                      op("neg_.default", "v", "w"), op("exp.default", "a", "y")}});
  EXPECT_THAT(lines, Contains(HasSubstr("slice_scatter(a, ")));
  EXPECT_THAT(lines, Contains(StartsWith("y = exp(lv")));
}

TEST(TorchAliases, AViewTakenBeforeAWriteShowsIt) {
  // a = relu(x); v = a.t(); a.neg_(); y = exp(v)
  const auto lines = body({.nodes = {op("relu.default", "x", "a"), op("t.default", "a", "v"),
                                     op("neg_.default", "a", "b"), op("exp.default", "v", "y")}});
  EXPECT_THAT(lines,
              ElementsAre(StartsWith("a = nn.relu(x)"), StartsWith("b = negative(a)"),
                          StartsWith("lv = permute_dims(b, axes=[1, 0])"), StartsWith("y = exp(lv)"), "return y"));
}

TEST(TorchAliases, AWrittenInputIsAFurtherResult) {
  const auto lines = body({.nodes = {op("neg_.default", "x", "a"), op("exp.default", "a", "y")}});
  EXPECT_THAT(lines, ElementsAre(StartsWith("a = negative(x)"), StartsWith("y = exp(a)"), StartsWith("gv = a"),
                                 "return (y, gv)"));
}

Program with_buffer(std::vector<std::string> nodes) {
  Program p{.nodes = std::move(nodes)};
  p.weights = {{"count", meta_json({"6"}, 7, {"1"}), std::string(24, '\0')}};
  return p;
}

std::string as_buffer(std::string json) {
  const std::string parameter = R"({"parameter":{"arg":{"name":"p_count"},"parameter_name":"count"}})";
  const size_t at = json.find(parameter);
  return json.replace(at, parameter.size(),
                      R"({"buffer":{"arg":{"name":"p_count"},"buffer_name":"count","persistent":true}})");
}

TEST(TorchState, ABufferThatTheProgramWritesIsTakenAndReturned) {
  Program p = with_buffer({op("add_.Tensor", "p_count", "n", {tensor_input("other", "p_count")}),
                           op("add.Tensor", "x", "y", {tensor_input("other", "n")})});
  Entries e = entries_of(p);
  e["models/model.json"] = as_buffer(e["models/model.json"]);
  const Model m = read_torch(archive_of(e), "t.pt2", builtin_ops());
  EXPECT_EQ(findings_of(m), "");
  EXPECT_THAT(params_of(m), ElementsAre(StartsWith("x:"), StartsWith("count:")));
  EXPECT_THAT(body_of(m), ElementsAre(StartsWith("n = add(count, count)"), StartsWith("y = add(x, n)"),
                                      StartsWith("gv = n"), "return (y, gv)"));
  EXPECT_EQ(*main_of(m)->attr<int64_t>("num_input"), 2);
  EXPECT_EQ(m.states.count("count"), 1u);
  EXPECT_EQ(m.weights.size(), 0u);
}

TEST(TorchState, ABufferThatTheSignatureSaysIsWritten) {
  Program p =
      with_buffer({op("add.Tensor", "x", "y", {tensor_input("other", "p_count")}), op("neg.default", "p_count", "n")});
  p.output_specs = R"({"buffer_mutation":{"arg":{"name":"n"},"buffer_name":"count"}},)" + p.output_specs;
  Entries e = entries_of(p);
  e["models/model.json"] = as_buffer(e["models/model.json"]);
  const Model m = read_torch(archive_of(e), "t.pt2", builtin_ops());
  EXPECT_THAT(body_of(m).back(), "return (y, gv)");
  EXPECT_EQ(m.states.count("count"), 1u);
}

/// Reads the program with `count`, a number, as a constant of the module.
Model read_with_number(Program p) {
  p.metas["p_count"] = meta_json({});
  std::string json = program_json(p);
  const std::string parameter = R"({"parameter":{"arg":{"name":"p_count"},"parameter_name":"count"}})";
  json.replace(json.find(parameter), parameter.size(),
               R"({"tensor_constant":{"arg":{"name":"p_count"},"tensor_constant_name":"count"}})");
  const Weights weights{{"count", Array::copy(DType::float_(32), {}, std::vector<std::byte>(4))}};
  return read_exported_program(io::Bytes::from(json), weights, "t.pt2", builtin_ops(), {});
}

TEST(TorchState, ANumberThatASubgraphWrites) {
  const std::string inner = R"({"inputs":[{"as_tensor":{"name":"a"}},{"as_tensor":{"name":"b"}}],)"
                            R"("outputs":[{"as_tensor":{"name":"c"}}],"tensor_values":{},"nodes":[)" +
                            op("add_.Tensor", "b", "c", {tensor_input("other", "b")}) + "]}";
  const Model m =
      read_with_number(with_buffer({node_json("torch.ops.higher_order.wrap_with_set_grad_enabled",
                                              {input_json("", R"("as_bool":false)"),
                                               input_json("", R"("as_graph":{"name":"g","graph":)" + inner + "}"),
                                               tensor_input("", "x"), tensor_input("", "p_count")},
                                              "n"),
                                    op("add.Tensor", "x", "y", {tensor_input("other", "n")})}));
  EXPECT_EQ(m.states.count("count"), 1u);
}

TEST(TorchState, AWriteThatNoOpMakesIsDamage) {
  Program p = with_buffer({op("add.Tensor", "x", "y", {tensor_input("other", "p_count")})});
  p.output_specs = R"({"user_input_mutation":{"arg":{"name":"y"},"user_input_name":"count"}},)" + p.output_specs;
  try {
    read_with_number(p);
    FAIL() << "nothing was refused";
  } catch (const UserError& e) {
    EXPECT_THAT(e.what(), HasSubstr("no op of the program writes `count`"));
  }
}

}  // namespace
}  // namespace sunmao
