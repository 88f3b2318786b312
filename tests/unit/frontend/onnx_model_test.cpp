// Import of an ONNX model apart from its ops: inputs, symbols, weights in every encoding, external data.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "frontend/frontend.h"
#include "onnx_writer.h"
#include "ops/ops.h"
#include "outline.h"

namespace sunmao {
namespace {

using namespace test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

Model read_graph(const GraphText& graph, std::vector<std::string>* notes = nullptr, const std::string& folder = "") {
  return read_onnx(io::Bytes::from(model(graph)), "t.onnx", folder, builtin_ops(), {.notes = notes});
}

TEST(OnnxModel, OneSymbolForEachNameOfADimension) {
  Model m = read_graph({.nodes = {node("Add", {"a", "b"}, {"y"})},
                        .initializers = {},
                        .inputs = {value_info("a", {"batch size", 3}), value_info("b", {"batch size", -1})},
                        .outputs = {"y"}});
  EXPECT_THAT(params_of(m),
              ElementsAre("a: Tensor((batch_size, 3), \"float32\")", "b: Tensor((batch_size, b_dim1), \"float32\")"));
  EXPECT_EQ(*main_of(m)->attr<int64_t>("num_input"), 2);
}

TEST(OnnxModel, NamesBecomeIdentifiersThatDiffer) {
  Model m =
      read_graph({.nodes = {node("MatMul", {"0", "/a/b.weight"}, {"in"}), node("Add", {"in", "a b.weight"}, {"y"})},
                  .initializers = {floats("/a/b.weight", {2, 2}), floats("a b.weight", {2})},
                  .inputs = {value_info("0", {"y", 2})},
                  .outputs = {"y"}});
  EXPECT_THAT(params_of(m),
              ElementsAre("_0: Tensor((y, 2), \"float32\")", StartsWith("a_b_weight:"), StartsWith("a_b_weight1:")));
  EXPECT_THAT(body_of(m),
              ElementsAre(StartsWith("in1 = matmul(_0, a_b_weight)"), StartsWith("y1 = add("), "return y1"));
  EXPECT_EQ(*main_of(m)->attr<AttrMap>("sunmao.source_weights")->at("a_b_weight").find<std::string>(), "/a/b.weight");
}

TEST(OnnxModel, WeightsStandInTheOrderOfTheFileAndOnce) {
  std::vector<std::string> notes;
  Model m = read_graph({.nodes = {node("Add", {"x", "second"}, {"a"}), node("Add", {"a", "first"}, {"b"}),
                                  node("Add", {"b", "second"}, {"y"})},
                        .initializers = {floats("first", {2}), floats("unused", {5}), floats("second", {1})},
                        .inputs = {value_info("x", {2})},
                        .outputs = {"y"}},
                       &notes);
  EXPECT_THAT(params_of(m), ElementsAre(StartsWith("x:"), StartsWith("first:"), StartsWith("second:")));
  EXPECT_THAT(notes, ElementsAre("dropped 1 weight that nothing uses (20 bytes): `unused`"));
}

TEST(OnnxModel, AnInitialiserAmongTheInputsIsAWeight) {
  Model m = read_graph({.nodes = {node("Add", {"x", "w"}, {"y"})},
                        .initializers = {floats("w", {2})},
                        .inputs = {value_info("w", {2}), value_info("x", {2})},
                        .outputs = {"y"}});
  EXPECT_THAT(params_of(m), ElementsAre(StartsWith("x:"), StartsWith("w:")));
  EXPECT_EQ(*main_of(m)->attr<int64_t>("num_input"), 1);
}

TEST(OnnxModel, SeveralOutputsAreATuple) {
  Model m = read_graph({.nodes = {node("Relu", {"x"}, {"a"}), node("Add", {"x", "a"}, {"b"})},
                        .initializers = {},
                        .inputs = {value_info("x", {2})},
                        .outputs = {"b", "a", "x"}});
  EXPECT_EQ(body_of(m).back(), "return (b, a, x)");
  EXPECT_EQ(findings_of(m), "");
}

/// Returns the data of an initialiser as imported.
Array load(const Message& tensor, const std::string& folder = "") {
  Model m =
      read_graph({.nodes = {node("Identity", {"w"}, {"y"})}, .initializers = {tensor}, .inputs = {}, .outputs = {"y"}},
                 nullptr, folder);
  return m.weights.at("w");
}

TEST(OnnxTensors, TypedFieldsPackedAndNot) {
  EXPECT_EQ(load(tensor_header("w", kFloat, {2}).text(4, raw_bytes(std::vector{1.5f, 2.5f}))),
            Array::from_floats({2}, std::vector{1.5f, 2.5f}));
  EXPECT_EQ(load(tensor_header("w", kFloat, {2}).real(4, 1.5f).real(4, 2.5f)),
            Array::from_floats({2}, std::vector{1.5f, 2.5f}));
  EXPECT_EQ(load(tensor_header("w", kInt64, {2}).number(7, -1).number(7, 5)),
            Array::from_ints({2}, std::vector<int64_t>{-1, 5}));
  const std::vector<double> doubles{0.25};
  EXPECT_EQ(load(tensor_header("w", kDouble, {1}).text(10, raw_bytes(doubles))),
            Array::copy(DType::float_(64), {1}, std::as_bytes(std::span(doubles))));
  const std::vector<uint8_t> bytes{200, 3};
  EXPECT_EQ(load(tensor_header("w", kUInt8, {2}).text(5, "\xc8\x01\x03")),
            Array::copy(DType::uint(8), {2}, std::as_bytes(std::span(bytes))));
  const std::vector<uint16_t> half{0x3c00};
  EXPECT_EQ(load(tensor_header("w", kFloat16, {1}).number(5, 0x3c00)),
            Array::copy(DType::float_(16), {1}, std::as_bytes(std::span(half))));
}

TEST(OnnxTensors, RawDataOfAnyTypeAndShape) {
  EXPECT_EQ(load(raw_tensor<int32_t>("w", kInt32, {1, 2}, {7, -7})).shape(), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(load(raw_tensor<uint8_t>("w", kBool, {3}, {1, 0, 1})).dtype(), DType::bool_());
  EXPECT_EQ(load(raw_tensor<float>("w", kFloat, {0, 4}, {})).count(), 0);
  EXPECT_EQ(load(raw_tensor<float>("w", kFloat, {1}, {3.f})).as<float>()[0], 3.f);
}

class OnnxExternalData : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "sunmao-onnx-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    std::ofstream(folder_ + "/data.bin", std::ios::binary) << "12345678" << raw_bytes(std::vector{1.5f, 2.5f});
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static Message external(const std::string& location, const std::string& offset, const std::string& length) {
    Message t = tensor_header("w", kFloat, {2});
    t.message(13, Message().text(1, "location").text(2, location))
        .message(13, Message().text(1, "offset").text(2, offset));
    return t.message(13, Message().text(1, "length").text(2, length)).number(14, 1);
  }
  std::string error(const Message& tensor) {
    return error_of([&] { load(tensor, folder_); });
  }

  std::string folder_;
};

TEST_F(OnnxExternalData, IsMapped) {
  EXPECT_EQ(load(external("data.bin", "8", "8"), folder_), Array::from_floats({2}, std::vector{1.5f, 2.5f}));
}

TEST_F(OnnxExternalData, TiedTensorsAreOneWeight) {
  Message a = external("data.bin", "8", "8"), b = tensor_header("v", kFloat, {2});
  b.message(13, Message().text(1, "location").text(2, "data.bin"))
      .message(13, Message().text(1, "offset").text(2, "8"))
      .number(14, 1);
  Model m =
      read_graph({.nodes = {node("Add", {"w", "v"}, {"y"})}, .initializers = {a, b}, .inputs = {}, .outputs = {"y"}},
                 nullptr, folder_);
  EXPECT_THAT(body_of(m), ElementsAre(StartsWith("y = add(w, w)"), "return y"));
  EXPECT_EQ(m.weights.size(), 1u);
}

TEST_F(OnnxExternalData, HostileDescriptionsAreErrors) {
  EXPECT_THAT(error(external("../data.bin", "8", "8")), HasSubstr("E0805"));
  EXPECT_THAT(error(external("/etc/passwd", "8", "8")), HasSubstr("E0805"));
  EXPECT_THAT(error(external("none.bin", "8", "8")), HasSubstr("E0801"));
  EXPECT_THAT(error(external("data.bin", "9", "8")), HasSubstr("E0606"));
  EXPECT_THAT(error(external("data.bin", "18446744073709551615", "8")), HasSubstr("E0606"));
  EXPECT_THAT(error(external("data.bin", "-8", "8")), HasSubstr("E0606"));
  EXPECT_THAT(error(external("data.bin", "8", "4")), HasSubstr("E0605"));
  EXPECT_THAT(error(external("", "8", "8")), HasSubstr("E0606"));
  EXPECT_THAT(error_of([&] { load(external("data.bin", "8", "8")); }), HasSubstr("stands in no folder"));
}

TEST(OnnxModel, nodes_are_read_in_the_order_of_their_data_flow) {
  const GraphText g{
      .nodes = {node("Relu", {"sum"}, {"y"}), node("Add", {"x", "half"}, {"sum"}), node("Neg", {"x"}, {"half"})},
      .initializers = {},
      .inputs = {value_info("x", {2}, kFloat)},
      .outputs = {"y"}};
  std::vector<std::string> notes;
  EXPECT_EQ(main_of(read_graph(g, &notes))->result_type->kind, TypeKind::Tensor);
  EXPECT_THAT(notes, ElementsAre(HasSubstr("they are read in the order")));
}

}  // namespace
}  // namespace sunmao
