// Model files that were made to do harm: what read_model says of them, and that it ends, in little memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <limits>

#include "frontend/frontend.h"
#include "onnx_writer.h"
#include "ops/ops.h"
#include "outline.h"
#include "pt2_writer.h"
#include "tests/unit/effort.h"

namespace sunmao {
namespace {

using namespace test;
using testing::HasSubstr;
namespace fs = std::filesystem;

std::string error_of_onnx(const std::string& bytes) {
  return error_of([&] { read_onnx(io::Bytes::from(bytes), "t.onnx", "", builtin_ops()); });
}
std::string error_of_graph(const GraphText& graph) { return error_of_onnx(model(graph)); }
std::string error_of_program(const std::string& json) {
  Entries entries = entries_of({});
  entries["models/model.json"] = json;
  return error_of([&] { read_torch(archive_of(entries), "t.pt2", builtin_ops()); });
}

/// A folder with a secret, and in it one with a model whose weight is in a file.
class HostileExternalData : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "sunmao-hostile-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    fs::create_directories(folder_ / "model" / "data");
    for (const char* name : {"secret", "model/data/w"}) std::ofstream(folder_ / name, std::ios::binary) << "12345678";
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string error(const std::string& location, const std::string& offset = "0", const std::string& length = "8",
                    const std::vector<int64_t>& dims = {2}) const {
    Message w = tensor_header("w", kFloat, dims);
    for (const auto& [key, value] : {std::pair("location", location), {"offset", offset}, {"length", length}})
      w.message(13, Message().text(1, key).text(2, value));
    w.number(14, 1);
    const GraphText graph{.nodes = {node("Relu", {"w"}, {"y"})}, .initializers = {w}, .inputs = {}, .outputs = {"y"}};
    std::ofstream(folder_ / "model" / "m.onnx", std::ios::binary) << model(graph);
    return error_of([&] { read_model(folder_ / "model" / "m.onnx", builtin_ops()); });
  }

  fs::path folder_;
};

TEST_F(HostileExternalData, NeverLeavesTheFolderOfTheModel) {
  EXPECT_EQ(error("data/w"), "");
  fs::create_symlink("../secret", folder_ / "model/link");
  fs::create_directory_symlink("..", folder_ / "model/up");
  for (const std::string& location :
       {std::string("../secret"), (folder_ / "secret").string(), std::string("data/../../secret"), std::string("link"),
        std::string("up/secret"), std::string("/dev/zero"), std::string("data/w\0", 7)})
    EXPECT_THAT(error(location), HasSubstr("E0805")) << location;
}

TEST_F(HostileExternalData, IsAPlainFileOfOneName) {
  fs::create_hard_link(folder_ / "secret", folder_ / "model/hard");
  EXPECT_THAT(error("hard"), HasSubstr("E0806"));
  ASSERT_EQ(mkfifo((folder_ / "model/pipe").c_str(), 0600), 0);
  for (const char* name : {"pipe", "data", "none"}) EXPECT_THAT(error(name), HasSubstr("error[E080")) << name;
}

TEST_F(HostileExternalData, LiesInsideItsFile) {
  const std::string most = "18446744073709551615";
  EXPECT_THAT(error("data/w", "1"), HasSubstr("E0606"));
  EXPECT_THAT(error("data/w", most), HasSubstr("E0606"));
  EXPECT_THAT(error("data/w", "18446744073709551608"), HasSubstr("E0606"));  // offset + length is 2^64
  EXPECT_THAT(error("data/w", most + "0"), HasSubstr("E0606"));
  EXPECT_THAT(error("data/w", "0", most), HasSubstr("E0605"));
  EXPECT_THAT(error("data/w", "0", "8", {INT64_MAX}), HasSubstr("E0605"));
  EXPECT_THAT(error("data/w", "0", "8", {int64_t{1} << 32, int64_t{1} << 32}), HasSubstr("E0605"));
  EXPECT_THAT(error("data/w", "0", std::to_string(int64_t{1} << 42), {int64_t{1} << 40}), HasSubstr("E0606"));
}

TEST(HostileOnnx, FilesAreNotExpandedInMemory) {
  const auto error = [](const std::string& op, const std::vector<int64_t>& size) {
    return error_of_graph({.nodes = {node(op, {"x", "s"}, {"y"})},
                           .initializers = {ints("s", size)},
                           .inputs = {value_info("x", {1, 1})},
                           .outputs = {"y"}});
  };
  constexpr int64_t kLarge = int64_t{1} << 40;
  EXPECT_THAT(error("Expand", {kLarge, 2}), HasSubstr("error[E"));
  EXPECT_THAT(error("Expand", {kLarge, kLarge}), HasSubstr("error[E"));
  EXPECT_THAT(error("Tile", {INT64_MAX, INT64_MAX}), HasSubstr("error[E"));
  EXPECT_THAT(error("Reshape", {INT64_MAX, INT64_MAX}), HasSubstr("error[E"));
  EXPECT_THAT(error("Pad", {kLarge, 0, kLarge, INT64_MAX}), HasSubstr("error[E"));
  EXPECT_THAT(error("Split", std::vector<int64_t>(2, INT64_MAX)), HasSubstr("error[E"));
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  EXPECT_LT(usage.ru_maxrss, 4 << 20) << "KiB";
}

struct HostileNode {
  std::string op;
  std::vector<std::string> inputs;
  std::vector<Message> attributes = {};
  std::string domain = "";
};

TEST(HostileOnnx, ConvertersCheckRanksAndNumbers) {
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  const std::vector<Message> tensors{
      ints("two", {1, 1}),
      ints("none", {}),
      int_scalar("one", 1),
      raw_tensor<float>("vector", kFloat, {1}, {1}),
      raw_tensor<float>("nan", kFloat, {}, {kNaN}),
      raw_tensor<float>("huge", kFloat, {}, {1e30f}),
      raw_tensor<float>("scales", kFloat, {2}, {1e19f, 1e19f}),
      raw_tensor<float>("values", kFloat, {2}, {0, 1}),
      raw_tensor<uint8_t>("bytes", kUInt8, {}, {1}),
      floats("image", {1, 1, 4}),
      floats("kernel", {1, 1, 2}),
  };
  const std::vector<HostileNode> nodes{
      {"Split", {"x"}, {int_attr("num_outputs", int64_t{1} << 62)}},
      {"SplitToSequence", {"long"}, {int_attr("axis", 0)}},
      {"SplitToSequence", {"x", "none"}},
      {"TensorScatter", {"x", "vector"}},
      {"GroupNormalization", {"vector", "vector", "vector"}},
      {"EmbedLayerNormalization", {"one", "", "x", "x", "", "vector", "vector"}, {}, "com.microsoft"},
      {"GroupQueryAttention", {"x", "", "", "", "", "one", "one"}, {int_attr("num_heads", 2)}, "com.microsoft"},
      {"MatMulNBits",
       {"x", "bytes", "vector"},
       {int_attr("K", INT64_MAX), int_attr("N", 4), int_attr("block_size", 16)},
       "com.microsoft"},
      {"RandomNormalLike", {"x"}, {float_attr("seed", kNaN)}},
      {"OneHot", {"one", "huge", "values"}},
      {"Range", {"nan", "nan", "nan"}},
      {"Resize", {"x", "", "scales"}},
      {"CenterCropPad", {"long", "none"}},
      {"MelWeightMatrix", {"one", "one", "nan", "nan", "nan"}},
      {"ConvTranspose", {"image", "kernel"}, {ints_attr("output_shape", {INT64_MIN})}},
      {"LpPool", {"image"}, {ints_attr("kernel_shape", {int64_t{1} << 62})}},
      {"Pad", {"x", "two"}},
      {"MaxUnpool", {"vector", "one"}, {ints_attr("kernel_shape", {1})}},
      {"LSTM", {"image", "kernel", "kernel", "one"}, {int_attr("hidden_size", 1)}},
  };
  for (const HostileNode& n : nodes)
    EXPECT_THAT(error_of_graph({.nodes = {node(n.op, n.inputs, {"y"}, n.attributes, n.domain)},
                                .initializers = tensors,
                                .inputs = {value_info("x", {2, 6}), value_info("long", {(int64_t{1} << 31) - 1})},
                                .outputs = {"y"}}),
                HasSubstr("error[E"))
        << n.op;
}

TEST(HostileOnnx, NestingEnds) {
  Message body = node("Relu", {"x"}, {"y"});
  for (int i = 0; i < 200; ++i) body = node("If", {"c"}, {"y"}, {graph_attr("then_branch", {body})});
  EXPECT_THAT(error_of_graph({.nodes = {body}, .initializers = {}, .inputs = {}, .outputs = {"y"}}),
              HasSubstr("E0842"));
}

TEST(HostileOnnx, FunctionsThatDoubleEachOtherEnd) {
  std::string bytes = model({.nodes = {node("f0", {"x"}, {"y"}, {}, "my")},
                             .initializers = {},
                             .inputs = {value_info("x", {2})},
                             .outputs = {"y"}});
  const int depth = is_in_part() ? 12 : 30;
  for (int i = 0; i < depth; ++i) {
    const std::string next = i == depth - 1 ? "none" : "f" + std::to_string(i + 1);
    Message function = Message().text(1, "f" + std::to_string(i)).text(4, "x").text(5, "y").text(10, "my");
    function.message(7, node(next, {"x"}, {"a"}, {}, "my")).message(7, node(next, {"a"}, {"y"}, {}, "my"));
    bytes += Message().message(25, function).bytes;
  }
  EXPECT_THAT(error_of_onnx(bytes), HasSubstr("error[E"));
}

TEST(HostileOnnx, ManyTensorsAndInputsAreReadInTheirOrder) {
  const int many = is_in_part() ? 10'000 : 100'000;
  GraphText graph{
      .nodes = {node("Relu", {"x"}, {"y"})}, .initializers = {}, .inputs = {value_info("x", {2})}, .outputs = {"y"}};
  for (int i = 0; i < many; ++i)
    graph.initializers.push_back(raw_tensor<float>("same", kFloat, {1}, {1.f}).text(8, "w" + std::to_string(i)));
  EXPECT_EQ(error_of_graph(graph), "");
}

TEST(HostilePrograms, ManyTensorValuesAreReadInTheirOrder) {
  Program program{.nodes = {node_json("torch.ops.aten.relu.default", {tensor_input("self", "x")}, "y")}};
  for (int i = 0; i < 100'000; ++i) program.metas["v" + std::to_string(i)] = R"({"dtype":7,"sizes":[]})";
  EXPECT_EQ(error_of_program(program_json(program)), "");
}

TEST(HostilePrograms, NestingEnds) {
  std::string json = program_json({});
  EXPECT_THAT(error_of_program(json.substr(0, json.size() - 1) + ",\"a\":" + std::string(100'000, '[')),
              HasSubstr("error[E082"));
  std::string graph = R"({"inputs":[],"outputs":[],"nodes":[],"tensor_values":{}})";
  for (int i = 0; i < 60; ++i)
    graph =
        R"({"inputs":[],"outputs":[],"tensor_values":{},"nodes":[{"target":"torch.ops.higher_order.wrap_with_set_grad_enabled",)"
        R"("inputs":[{"name":"","arg":{"as_graph":{"name":"g","graph":)" +
        graph + R"(}}}],"outputs":[]}]})";
  const size_t at = json.find(R"("nodes":[)") + 9;
  const std::string wrapper =
      R"({"target":"torch.ops.higher_order.wrap_with_set_grad_enabled","inputs":[{"name":"","arg":{"as_graph":{"name":"g","graph":)" +
      graph + R"(}}}],"outputs":[]})";
  EXPECT_THAT(error_of_program(json.substr(0, at) + wrapper + json.substr(at)), HasSubstr("E0704"));
}

TEST(HostilePrograms, ConvertersCheckRanksAndNumbers) {
  const std::string x = tensor_input("self", "v"), huge = R"("as_int":9223372036854775807)";
  const std::vector<std::pair<std::string, std::vector<std::string>>> nodes{
      {"linalg_solve_ex.default", {tensor_input("A", "v"), tensor_input("B", "v")}},
      {"scatter.src",
       {tensor_input("self", "x"), tensor_input("index", "i"), tensor_input("src", "x"),
        input_json("dim", R"("as_int":0)")}},
      {"instance_norm.default", {tensor_input("input", "v"), input_json("use_input_stats", R"("as_bool":false)")}},
      {"upsample_nearest2d.vec", {tensor_input("input", "x")}},
      {"max_unpool2d.default", {x, tensor_input("indices", "i"), input_json("output_size", R"("as_ints":[1,1])")}},
      {"roll.default", {x, input_json("shifts", R"("as_ints":[9223372036854775807])")}},
      {"constant_pad_nd.default", {x, input_json("pad", R"("as_ints":[9223372036854775807,9223372036854775807])")}},
      {"pixel_shuffle.default", {tensor_input("self", "x"), input_json("upscale_factor", huge)}},
      {"diff.default", {}},
      {"diff.default", {x, input_json("n", huge)}},
      {"tensor_split.sections", {x, input_json("sections", huge)}},
      {"gru_cell.default",
       {tensor_input("input", "x"), tensor_input("hx", "x"), tensor_input("w_ih", "x"), tensor_input("w_hh", "x"),
        tensor_input("b_ih", "v")}},
      {"affine_grid_generator.default", {tensor_input("theta", "x"), input_json("size", R"("as_ints":[])")}},
  };
  for (const auto& [target, inputs] : nodes) {
    Program program{.nodes = {node_json("torch.ops.aten." + target, inputs, "y")},
                    .more_inputs = R"(,{"user_input":{"arg":{"as_tensor":{"name":"v"}}}})"
                                   R"(,{"user_input":{"arg":{"as_tensor":{"name":"i"}}}})"};
    program.metas["v"] = meta_json({"3"});
    program.metas["i"] = meta_json({"3"}, 5);
    program.metas["y"] = meta_json({});
    EXPECT_THAT(error_of_program(program_json(program)), HasSubstr("error[E")) << target;
  }
}

TEST(HostilePrograms, NoneInAListOfTensorsIsAnError) {
  const std::string list = R"("as_optional_tensors":[{"as_tensor":{"name":"x"}},{"as_none":true}])";
  for (const char* target : {"cat", "stack", "hstack", "broadcast_tensors", "einsum"}) {
    Program program{
        .nodes = {node_json("torch.ops.aten." + std::string(target) + ".default",
                            {input_json("equation", R"("as_string":"i,i")"), input_json("tensors", list)}, "y")}};
    program.metas["y"] = meta_json({});
    EXPECT_THAT(error_of_program(program_json(program)), HasSubstr("`tensors`")) << target;
  }
}

TEST(HostilePrograms, BodiesOfManyRowsAreReadOnce) {
  const std::string body = R"("as_graph":{"name":"b","graph":{"inputs":[{"as_tensor":{"name":"r"}}],)"
                           R"("outputs":[{"as_tensor":{"name":"r"}}],"nodes":[],"tensor_values":{}}})";
  Program program{.nodes = {node_json("torch.ops.higher_order.map_impl",
                                      {input_json("", body), input_json("", R"("as_tensors":[{"name":"v"}])"),
                                       input_json("", R"("as_tensors":[])")},
                                      "y")},
                  .more_inputs = R"(,{"user_input":{"arg":{"as_tensor":{"name":"v"}}}})"};
  program.metas["v"] = meta_json({"2000000000"});
  program.metas["y"] = meta_json({"2000000000"});
  EXPECT_EQ(error_of_program(program_json(program)), "");
}

TEST(HostilePrograms, AnUnknownOpWithoutOverloadsHasNoNearestOverload) {
  const Program program{.nodes = {node_json("torch.ops.higher_order.unheard_of", {tensor_input("self", "x")}, "y")}};
  EXPECT_THAT(error_of_program(program_json(program)), testing::Not(HasSubstr("its overload")));
}

TEST(HostilePrograms, ResultsThatNoConverterGivesAreErrors) {
  std::string relu = node_json("torch.ops.aten.relu.default", {tensor_input("self", "x")}, "y");
  const std::string outputs = R"("outputs":[)";
  relu.insert(relu.find(outputs) + outputs.size(), R"({"as_tensor":{"name":"first"}},)");
  EXPECT_THAT(error_of_program(program_json({.nodes = {relu}})), HasSubstr("E0711"));
}

TEST(HostilePrograms, CompressedEntriesAreNotUnpacked) {
  std::string archive(io::Bytes(archive_of(entries_of({}))).text());
  const std::string name = "m/models/model.json";
  for (size_t at = archive.find(name); at != std::string::npos; at = archive.find(name, at + 1)) {
    const bool is_local = archive.compare(at - 30, 4, "PK\3\4") == 0;
    archive[is_local ? at - 30 + 8 : at - 46 + 10] = 8;  // deflate
  }
  EXPECT_THAT(error_of([&] { read_torch(io::Bytes::from(archive), "t.pt2", builtin_ops()); }), HasSubstr("E0812"));
}

}  // namespace
}  // namespace sunmao
