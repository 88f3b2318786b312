// Import of the committed test models: structure, names and bytes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/frontend.h"
#include "io/mapped_file.h"
#include "io/safetensors.h"
#include "ops/ops.h"
#include "outline.h"

namespace sunmao {
namespace {

using test::body_of;
using test::find_binding;
using test::findings_of;
using test::main_of;
using test::params_of;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string kFolder = "tests/models/";

std::vector<std::string> expected_params(const std::string& n) {
  return {fmt::format("x: Tensor(({}, 16), \"float32\")", n), "fc1_weight: Tensor((32, 16), \"float32\")",
          "fc1_bias: Tensor((32,), \"float32\")", "fc2_weight: Tensor((3, 4), \"float32\")",
          "fc2_bias: Tensor((3,), \"float32\")"};
}

/// Checks that the weights equal those of the safetensors file and point into the mapped file.
void expect_weights(const Model& model) {
  io::Result<io::Bytes> file = io::map_file(kFolder + "mlp.weights.safetensors");
  ASSERT_TRUE(file.ok()) << file.status().to_string();
  io::Result<io::SafetensorsReader> expected = io::SafetensorsReader::open(*file);
  ASSERT_TRUE(expected.ok());
  ASSERT_EQ(model.weights.size(), expected->tensors().size());
  for (const io::StoredTensor& t : expected->tensors()) {
    ASSERT_TRUE(model.weights.contains(t.name)) << t.name;
    const Array& got = model.weights.at(t.name);
    EXPECT_EQ(got.shape(), t.shape);
    EXPECT_EQ(io::Bytes::borrowed(got.bytes()).text(), t.data.text()) << t.name;
    EXPECT_TRUE(got.owner()) << t.name << " must keep its file alive";
  }
}

TEST(Models, MlpFromOnnx) {
  Model model = read_model(kFolder + "mlp.onnx", builtin_ops());
  EXPECT_EQ(params_of(model), expected_params("batch"));
  EXPECT_THAT(body_of(model),
              ElementsAre("lv = permute_dims(fc1_weight, axes=[1, 0]): Tensor((16, 32), \"float32\")",
                          "lv1 = matmul(x, lv): Tensor((batch, 32), \"float32\")",
                          "fc1 = add(lv1, fc1_bias): Tensor((batch, 32), \"float32\")",
                          "relu = nn.relu(fc1): Tensor((batch, 32), \"float32\")",
                          "grouped = reshape(relu, Shape((batch, 4, 8))): Tensor((batch, 4, 8), \"float32\")",
                          "pooled = sum(grouped, axis=[-1], keepdims=False): Tensor((batch, 4), \"float32\")",
                          "fc2_t = permute_dims(fc2_weight, axes=[1, 0]): Tensor((4, 3), \"float32\")",
                          "fc2 = matmul(pooled, fc2_t): Tensor((batch, 3), \"float32\")",
                          "y = add(fc2, fc2_bias): Tensor((batch, 3), \"float32\")", "return y"));
  EXPECT_EQ(findings_of(model), "");
  expect_weights(model);
}

TEST(Models, MlpFromTorch) {
  Model model = read_model(kFolder + "mlp.pt2", builtin_ops());
  EXPECT_EQ(params_of(model), expected_params("s77"));
  EXPECT_THAT(body_of(model),
              ElementsAre("lv = permute_dims(fc1_weight, axes=[1, 0]): Tensor((16, 32), \"float32\")",
                          "lv1 = matmul(x, lv): Tensor((s77, 32), \"float32\")",
                          "linear = add(lv1, fc1_bias): Tensor((s77, 32), \"float32\")",
                          "relu = nn.relu(linear): Tensor((s77, 32), \"float32\")",
                          "reshape = reshape(relu, Shape((s77, 4, 8))): Tensor((s77, 4, 8), \"float32\")",
                          "sum_1 = sum(reshape, axis=[-1], keepdims=False): Tensor((s77, 4), \"float32\")",
                          "lv2 = permute_dims(fc2_weight, axes=[1, 0]): Tensor((4, 3), \"float32\")",
                          "lv3 = matmul(sum_1, lv2): Tensor((s77, 3), \"float32\")",
                          "linear_1 = add(lv3, fc2_bias): Tensor((s77, 3), \"float32\")", "return linear_1"));
  EXPECT_EQ(findings_of(model), "");
  expect_weights(model);
}

TEST(Models, TheDecomposedProgramIsReadToo) {
  Model model = read_model(kFolder + "mlp_aten.pt2", builtin_ops());
  EXPECT_EQ(params_of(model), expected_params("s77"));
  const Binding* addmm = find_binding(model, "addmm");
  ASSERT_NE(addmm, nullptr);
  EXPECT_EQ(describe(addmm->var->type), "Tensor((s77, 32), \"float32\")");
  EXPECT_EQ(findings_of(model), "");
  expect_weights(model);
}

TEST(Models, FunctionAttributesSayWhatIsWhat) {
  Ref<Function> f = main_of(read_model(kFolder + "mlp.pt2", builtin_ops()));
  EXPECT_EQ(*f->attr<std::string>("global_symbol"), "main");
  EXPECT_EQ(*f->attr<int64_t>("num_input"), 1);
  const AttrMap* names = f->attr<AttrMap>("sunmao.source_weights");
  ASSERT_NE(names, nullptr);
  EXPECT_EQ(*names->at("fc1_weight").find<std::string>(), "fc1.weight");
  const AttrMap* upper = f->attr<AttrMap>("tir_var_upper_bound");
  ASSERT_NE(upper, nullptr);
  EXPECT_EQ(*upper->at("s77").find<int64_t>(), 512);
  EXPECT_EQ(f->attr<AttrMap>("tir_var_lower_bound"), nullptr)
      << "a minimum of 1 says nothing: it is what export assumes anyway";
}

TEST(Models, BindingsCarryTheirOrigin) {
  Model model = read_model(kFolder + "mlp.pt2", builtin_ops());
  const Binding* linear = find_binding(model, "linear");
  ASSERT_NE(linear, nullptr);
  ASSERT_TRUE(linear->span);
  EXPECT_EQ(linear->span->source->name, "mlp.pt2");
  EXPECT_THAT(linear->span->label, HasSubstr("node `linear` in `fc1` (`tools/make_models.py:"));
  for (const Ref<BindingBlock>& block : main_of(model)->body->blocks)
    for (const Binding& b : block->bindings) EXPECT_TRUE(b.span) << b.var->name;

  const Model onnx = read_model(kFolder + "mlp.onnx", builtin_ops());
  EXPECT_EQ(find_binding(onnx, "relu")->span->label, "node `Relu_1`");
}

TEST(Models, ShapeArithmeticLeavesNoWeightsAndNoNotes) {
  std::vector<std::string> notes;
  Model model = read_model(kFolder + "mlp.onnx", builtin_ops(), {.notes = &notes});
  EXPECT_EQ(model.weights.size(), 4u);
  EXPECT_THAT(notes, ElementsAre());
}

TEST(Models, WeightsLieInTheMappedFile) {
  Model model = read_model(kFolder + "linear_128_512.onnx", builtin_ops());
  EXPECT_EQ(model.weights.at("weight").size_bytes() + model.weights.at("bias").size_bytes(), 264192u);
  io::Result<io::Bytes> file = io::map_file(kFolder + "mlp.pt2");
  ASSERT_TRUE(file.ok());
  Model torch = read_torch(*file, "mlp.pt2", builtin_ops());
  for (const auto& [name, data] : torch.weights) {
    EXPECT_GE(data.data(), file->data()) << name;
    EXPECT_LT(data.data(), file->data() + file->size()) << name;
  }
}

}  // namespace
}  // namespace sunmao
