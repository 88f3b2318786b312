// Weights of every layout, and errors in archives and programs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/frontend.h"
#include "ops/ops.h"
#include "outline.h"
#include "pt2_writer.h"

namespace sunmao {
namespace {

using namespace test;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string floats_data(int count) {
  std::string data;
  for (int i = 0; i < count; ++i) {
    const float value = static_cast<float>(i);
    data.append(io::Bytes::borrowed(std::as_bytes(std::span(&value, 1))).text());
  }
  return data;
}

const std::string kRelu = node_json("torch.ops.aten.relu.default", {tensor_input("self", "x")}, "y");

std::string torch_error(const Program& p) {
  return error_of([&] { read_program(p); });
}
std::string archive_error(const Entries& e, const std::string& root = "m/") {
  return error_of([&] { read_torch(archive_of(e, root), "t.pt2", builtin_ops()); });
}

/// Returns the program y = relu(w) for a weight of 12 stored floats.
Program of_weight(const std::string& meta, const std::string& data = floats_data(12)) {
  return {.nodes = {node_json("torch.ops.aten.relu.default", {tensor_input("self", "p_w")}, "y")},
          .weights = {{"w", meta, data}}};
}

std::vector<float> values(const std::string& meta) {
  Model m = read_program(of_weight(meta));
  auto floats = m.weights.at("w").as<float>();
  return {floats.begin(), floats.end()};
}

TEST(TorchWeights, AreReadThroughTheirStrides) {
  EXPECT_THAT(values(meta_json({"2", "3"}, 7, {"3", "1"}, 6)), ElementsAre(6, 7, 8, 9, 10, 11));
  EXPECT_THAT(values(meta_json({"3", "2"}, 7, {"1", "3"})), ElementsAre(0, 3, 1, 4, 2, 5)) << "transposed";
  EXPECT_THAT(values(meta_json({"2", "2"}, 7, {"0", "1"}, 4)), ElementsAre(4, 5, 4, 5)) << "expanded";
  EXPECT_THAT(values(meta_json({"1", "3"}, 7, {"9223372036854775807", "4"}, 3)), ElementsAre(3, 7, 11))
      << "the stride of one element is never taken";
  EXPECT_THAT(values(meta_json({"0", "3"}, 7, {"3", "1"})), ElementsAre());
  EXPECT_THAT(values(meta_json({}, 7, {}, 5)), ElementsAre(5));
}

TEST(TorchWeights, TiedOnesAreOneParameter) {
  Program p{.nodes = {node_json("torch.ops.aten.add.Tensor",
                                {tensor_input("self", "p_a"), tensor_input("other", "p_b")}, "y")},
            .weights = {{"a", meta_json({"4"}, 7, {"1"}), floats_data(4)}, {"b", meta_json({"4"}, 7, {"1"}), ""}}};
  Entries e = entries_of(p);
  std::string& config = e["data/weights/model_weights_config.json"];
  config.replace(config.find("weight_1"), 8, "weight_0");
  Model m = read_torch(archive_of(e), "t.pt2", builtin_ops());
  EXPECT_THAT(body_of(m), ElementsAre(StartsWith("y = add(a, a)"), "return y"));
  EXPECT_EQ(m.weights.size(), 1u);
}

TEST(TorchWeights, UnusedOnesAreDroppedWithANote) {
  Program p{.nodes = {kRelu}, .weights = {{"w", meta_json({"12"}, 7, {"1"}), floats_data(12)}}};
  std::vector<std::string> notes;
  Model m = read_torch(archive_of(entries_of(p)), "t.pt2", builtin_ops(), {.notes = &notes});
  EXPECT_TRUE(m.weights.empty());
  EXPECT_THAT(notes, ElementsAre("dropped 1 weight that nothing uses (48 bytes): `w`"));
}

TEST(TorchErrors, E0701OtherZipArchives) {
  EXPECT_THAT(archive_error({{"a.txt", "x"}}), HasSubstr("E0701"));
  EXPECT_THAT(archive_error({{"data.pkl", "x"}}), AllOf(HasSubstr("E0701"), HasSubstr("torch.save")));
  EXPECT_THAT(archive_error({{"serialized_exported_program.json", "{}"}}, ""),
              AllOf(HasSubstr("E0701"), HasSubstr("before PyTorch 2.8")));
}

TEST(TorchErrors, E0702Versions) {
  Program p{.nodes = {kRelu}};
  Entries e = entries_of(p);
  e["archive_version"] = "1";
  EXPECT_THAT(archive_error(e), AllOf(HasSubstr("E0702"), HasSubstr("version `1`")));
  e = entries_of(p);
  e["byteorder"] = "big";
  EXPECT_THAT(archive_error(e), AllOf(HasSubstr("E0702"), HasSubstr("byte order")));
  p.major = 9;
  EXPECT_THAT(torch_error(p), AllOf(HasSubstr("E0702"), HasSubstr("schema version 9, expected 8")));
}

TEST(TorchErrors, E0703NoModelOrSeveral) {
  Entries e = entries_of({.nodes = {kRelu}});
  e["models/other.json"] = "{}";
  EXPECT_THAT(archive_error(e), AllOf(HasSubstr("E0703"), HasSubstr("2 models")));
  e.erase("models/other.json");
  e.erase("models/model.json");
  EXPECT_THAT(archive_error(e), AllOf(HasSubstr("E0703"), HasSubstr("0 models")));
  e["data/aotinductor/model/x.so"] = "x";
  EXPECT_THAT(archive_error(e), AllOf(HasSubstr("E0703"), HasSubstr("AOTInductor")));
}

TEST(TorchErrors, E0704DamagedGraphs) {
  Entries e = entries_of({.nodes = {kRelu}});
  e["models/model.json"] = R"({"schema_version":{"major":8}})";
  EXPECT_THAT(archive_error(e), AllOf(HasSubstr("E0704"), HasSubstr("no graph")));
  e["models/model.json"] = "{";
  EXPECT_THAT(archive_error(e), HasSubstr("models/model.json: "));
  EXPECT_THAT(torch_error({.nodes = {node_json("torch.ops.aten.relu.default", {tensor_input("self", "z")}, "y")}}),
              AllOf(HasSubstr("E0704"), HasSubstr("`z` is used before")));
  EXPECT_THAT(torch_error({.nodes = {node_json("torch.ops.aten.relu.default", {}, "y")}}),
              AllOf(HasSubstr("E0704"), HasSubstr("argument `self`")));
  EXPECT_THAT(torch_error({.nodes = {kRelu, kRelu}}), AllOf(HasSubstr("E0704"), HasSubstr("`y` is defined twice")));
  EXPECT_THAT(torch_error({.nodes = {}}),
              AllOf(HasSubstr("E0704"), HasSubstr("`y` is used before anything defines it")));
  EXPECT_THAT(
      torch_error({.nodes = {node_json(
                       "torch.ops.aten.view.default",
                       {tensor_input("self", "x"), input_json("size", R"("as_sym_ints":[{"as_name":"q"}])")}, "y")}}),
      AllOf(HasSubstr("E0704"), HasSubstr("the size `q` has no value")));
}

TEST(TorchErrors, E0705WeightsThatDoNotFitTheirStorage) {
  EXPECT_THAT(torch_error(of_weight(meta_json({"13"}, 7, {"1"}))),
              AllOf(HasSubstr("E0705"), HasSubstr("number 12 of a storage of 12"), HasSubstr("weight `w`")));
  EXPECT_THAT(torch_error(of_weight(meta_json({"2"}, 7, {"1"}, 11))), HasSubstr("E0705"));
  EXPECT_THAT(torch_error(of_weight(meta_json({"2", "2"}, 7, {"9223372036854775807", "9223372036854775807"}))),
              HasSubstr("E0705"));
  EXPECT_THAT(torch_error(of_weight(meta_json({"9223372036854775807", "4"}, 7, {"0", "0"}))), HasSubstr("E0705"));
  EXPECT_THAT(torch_error(of_weight(meta_json({"100000000000"}, 7, {"0"}))),
              AllOf(HasSubstr("E0705"), HasSubstr("repeats a storage")));
  EXPECT_THAT(torch_error(of_weight(meta_json({"-1"}, 7, {"1"}))), HasSubstr("E0705"));
  EXPECT_THAT(torch_error(of_weight(meta_json({"2"}, 7, {}))), HasSubstr("E0705"));
  EXPECT_THAT(torch_error(of_weight(meta_json({"2"}, 7, {"1"}, -1))), HasSubstr("E0705"));
  EXPECT_THAT(torch_error(of_weight(meta_json({"2"}, 7, {"1"}), "")), HasSubstr("E0705"));
}

TEST(TorchErrors, E0706PickledWeights) {
  Program p = of_weight(meta_json({"12"}, 7, {"1"}));
  p.weights[0].use_pickle = true;
  EXPECT_THAT(torch_error(p), AllOf(HasSubstr("E0706"), HasSubstr("unwrap_tensor_subclass")));
}

TEST(TorchErrors, E0707AndE0708AllAtOnce) {
  const std::string self = tensor_input("self", "x");
  const std::string where =
      R"({"nn_module_stack":"L__self__,,M;L__self__act,layers.0.act,A","stack_trace":"File \"m.py\", line 7, in forward\n  x\n  File \"/p/site-packages/torch/nn/f.py\", line 9, in f\n"})";
  const std::string text =
      torch_error({.nodes = {node_json("torch.ops.aten.erff.default", {self}, "a", where),
                             node_json("torch.ops.aten.erff.default", {tensor_input("self", "a")}, "b"),
                             node_json("torch.ops.aten.nothing_.default", {self}, "c"),
                             node_json("torch.ops.my.op.default", {self}, "d"),
                             node_json("torch.ops.aten.relu.default", {tensor_input("self", "d")}, "y")}});
  EXPECT_THAT(text, AllOf(HasSubstr("error[E0707]"), HasSubstr("2 ops of this program cannot be read (3 nodes)"),
                          HasSubstr("`aten.erff.default`: 2 times, first at node `a` in `layers.0.act` (`m.py:7`)"),
                          HasSubstr("`my.op.default`: 1 time")));
  EXPECT_THAT(text, AllOf(HasSubstr("error[E0708]"), HasSubstr("`aten.nothing_.default`: 1 time"),
                          HasSubstr("run_decompositions()"), Not(HasSubstr("`aten.relu.default`"))));
}

TEST(TorchErrors, E0707UsesThatAreNotSupported) {
  const std::vector<std::string> dropped{tensor_input("input", "x"), input_json("p", "\"as_float\":1.5"),
                                         input_json("train", "\"as_bool\":true")};
  EXPECT_THAT(torch_error({.nodes = {node_json("torch.ops.aten.dropout.default", dropped, "y")}}),
              AllOf(HasSubstr("E0707"), HasSubstr("with the probability")));
}

TEST(TorchErrors, E0710WhatTheExporterSawDiffers) {
  Program p{.nodes = {kRelu}};
  p.metas["y"] = meta_json({kSymbol, "6"});
  EXPECT_EQ(torch_error(p), "");
  p.metas["y"] = meta_json({kSymbol, "7"});
  EXPECT_THAT(torch_error(p), AllOf(HasSubstr("E0710"), HasSubstr("Tensor((s0, 6), \"float32\")"),
                                    HasSubstr("Tensor((s0, 7), \"float32\")")));
  p.metas["y"] = meta_json({kSymbol, "6"}, 8);
  EXPECT_THAT(torch_error(p), HasSubstr("E0710"));
}

TEST(TorchErrors, E0711KindsThatAreNotRead) {
  Program p{.nodes = {kRelu}};
  p.more_inputs = R"(,{"custom_obj":{}})";
  EXPECT_THAT(torch_error(p), AllOf(HasSubstr("E0711"), HasSubstr("`custom_obj`")));
  p.more_inputs = R"(,{"token":{}})";
  EXPECT_EQ(torch_error(p), "") << "the order of ops with effects";
  p.more_inputs = R"(,{"user_input":{"arg":{"as_sym_int":{"as_name":"s"}}}})";
  EXPECT_THAT(torch_error(p), HasSubstr("E0711"));
  p.more_inputs =
      R"(,{"constant_input":{"name":"flag","value":{"as_bool":false}}},{"user_input":{"arg":{"as_none":true}}})";
  EXPECT_EQ(torch_error(p), "") << "values that the exporter baked in";
  p.metas["x"] = meta_json({"2"}, 14);
  EXPECT_THAT(torch_error(p), AllOf(HasSubstr("E0711"), HasSubstr("ScalarType 14")));
  EXPECT_THAT(torch_error(of_weight(meta_json({"1"}, 14, {"1"}))), HasSubstr("E0711"));
}

TEST(TorchErrors, AReaderOfRealNumbersRefusesComplexOnes) {
  Program p{.nodes = {kRelu}};
  p.metas["x"] = meta_json({"2"}, 10);
  EXPECT_THAT(torch_error(p), AllOf(HasSubstr("E0707"), HasSubstr("`aten.relu.default on complex numbers`")));
}

TEST(TorchErrors, AWeightThatIsStatedAsComplexHoldsSuchNumbers) {
  Program p = of_weight(meta_json({"1"}, 7, {"1"}));
  p.metas["p_w"] = meta_json({"1"}, 10, {"1"});
  EXPECT_THAT(torch_error(p), HasSubstr("the weight holds real numbers, where the graph states complex ones"));
}

}  // namespace
}  // namespace sunmao
