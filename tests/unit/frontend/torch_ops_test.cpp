// Import of ATen ops, with all arguments and defaults.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/frontend.h"
#include "ops/ops.h"
#include "outline.h"
#include "pt2_writer.h"

namespace sunmao {
namespace {

using namespace test;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::string float_data(int count) {
  std::string data;
  for (int i = 0; i < count; ++i) {
    const float value = static_cast<float>(i);
    data.append(std::string_view(io::Bytes::borrowed(std::as_bytes(std::span(&value, 1))).text()));
  }
  return data;
}

WeightText weight(const std::string& name, const std::vector<std::string>& sizes,
                  const std::vector<std::string>& strides, int count) {
  return {name, meta_json(sizes, 7, strides), float_data(count)};
}

std::vector<std::string> torch_body(const Program& p) {
  Model m = read_program(p);
  EXPECT_EQ(findings_of(m), "");
  return body_of(m);
}

/// Returns the bindings of a program with one node on x: (s0, 6).
std::vector<std::string> torch_body(const std::string& target, std::vector<std::string> inputs,
                                    std::vector<WeightText> weights = {}) {
  return torch_body({.nodes = {node_json("torch.ops." + target, inputs, "y")}, .weights = std::move(weights)});
}

const std::string kSelf = tensor_input("self", "x");

TEST(TorchMatmul, LinearKeepsTheRawWeight) {
  auto lines = torch_body("aten.linear.default", {tensor_input("input", "x"), tensor_input("weight", "p_w")},
                          {weight("w", {"4", "6"}, {"6", "1"}, 24)});
  EXPECT_THAT(lines, ElementsAre(StartsWith("lv = permute_dims(w, axes=[1, 0])"),
                                 "y = matmul(x, lv): Tensor((s0, 4), \"float32\")", "return y"));
}

TEST(TorchMatmul, AddmmWithItsFactors) {
  const std::vector<WeightText> weights{weight("w", {"6", "4"}, {"4", "1"}, 24), weight("c", {"4"}, {"1"}, 4)};
  const std::vector<std::string> operands{tensor_input("self", "p_c"), tensor_input("mat1", "x"),
                                          tensor_input("mat2", "p_w")};
  EXPECT_THAT(torch_body("aten.addmm.default", operands, weights),
              ElementsAre(StartsWith("lv = matmul(x, w)"), StartsWith("y = add(c, lv)"), "return y"));
  auto scaled = operands;
  scaled.push_back(input_json("beta", "\"as_float\":0.5"));
  scaled.push_back(input_json("alpha", "\"as_int\":2"));
  EXPECT_THAT(torch_body("aten.addmm.default", scaled, weights),
              ElementsAre(StartsWith("lv = multiply(c, 0.5)"), StartsWith("lv1 = matmul(x, w)"),
                          StartsWith("lv2 = multiply(lv1, 2)"), StartsWith("y = add(lv, lv2)"), "return y"));
}

TEST(TorchMatmul, MmAndMatmul) {
  const std::vector<WeightText> weights{weight("w", {"6", "4"}, {"4", "1"}, 24)};
  EXPECT_THAT(torch_body("aten.mm.default", {kSelf, tensor_input("mat2", "p_w")}, weights),
              Contains(StartsWith("y = matmul(x, w)")));
  EXPECT_THAT(torch_body("aten.matmul.default", {kSelf, tensor_input("other", "p_w")}, weights),
              Contains(StartsWith("y = matmul(x, w)")));
}

TEST(TorchElementwise, AlphaDefaultsToOne) {
  EXPECT_THAT(torch_body("aten.add.Tensor", {kSelf, tensor_input("other", "x")}),
              Contains(StartsWith("y = add(x, x)")));
  EXPECT_THAT(torch_body("aten.sub.Tensor", {kSelf, tensor_input("other", "x"), input_json("alpha", "\"as_int\":3")}),
              ElementsAre(StartsWith("lv = multiply(x, 3)"), StartsWith("y = subtract(x, lv)"), "return y"));
}

TEST(TorchElementwise, NumbersTakeTheTensorsType) {
  EXPECT_THAT(torch_body("aten.mul.Tensor", {kSelf, input_json("other", "\"as_float\":0.5")}),
              Contains("y = multiply(x, 0.5): Tensor((s0, 6), \"float32\")"));
  EXPECT_THAT(torch_body("aten.add.Scalar", {kSelf, input_json("other", "\"as_int\":2")}),
              Contains(StartsWith("y = add(x, 2)")));
  EXPECT_THAT(torch_body("aten.sub.Tensor", {kSelf, input_json("other", "\"as_float\":\"Infinity\"")}),
              Contains(StartsWith("y = subtract(x, inf)")));
  EXPECT_THAT(torch_body("aten.relu.default", {kSelf}), Contains(StartsWith("y = nn.relu(x)")));
  EXPECT_THAT(torch_body("aten.maximum.default", {kSelf, tensor_input("other", "x")}),
              Contains(StartsWith("y = maximum(x, x)")));
}

TEST(TorchLayout, PermuteTransposeT) {
  EXPECT_THAT(torch_body("aten.t.default", {kSelf}),
              Contains("y = permute_dims(x, axes=[1, 0]): Tensor((6, s0), \"float32\")"));
  EXPECT_THAT(torch_body("aten.permute.default", {kSelf, input_json("dims", "\"as_ints\":[1,0]")}),
              Contains(StartsWith("y = permute_dims(x, axes=[1, 0])")));
  EXPECT_THAT(torch_body("aten.transpose.int",
                         {kSelf, input_json("dim0", "\"as_int\":-1"), input_json("dim1", "\"as_int\":0")}),
              Contains(StartsWith("y = permute_dims(x, axes=[1, 0])")));
}

TEST(TorchLayout, ViewsAreReshapes) {
  const std::string symbolic = R"("as_sym_ints":[{"as_name":"b"},{"as_int":2},{"as_int":-1}])";
  EXPECT_THAT(torch_body("aten.view.default", {kSelf, input_json("size", symbolic)}),
              Contains("y = reshape(x, Shape((s0, 2, 3))): Tensor((s0, 2, 3), \"float32\")"));
  EXPECT_THAT(torch_body("aten.reshape.default", {kSelf, input_json("shape", "\"as_ints\":[-1,2]")}),
              Contains(HasSubstr("Tensor((s0 * 3, 2)")));
  EXPECT_THAT(torch_body("aten._unsafe_view.default",
                         {kSelf, input_json("size", R"("as_sym_ints":[{"as_name":"b"},{"as_int":6}])")}),
              ElementsAre("return x"))
      << "the shape that it has";
}

TEST(TorchLayout, FlattenDefaultsToAllAxes) {
  EXPECT_THAT(torch_body("aten.flatten.using_ints", {kSelf}),
              Contains("y = reshape(x, Shape((s0 * 6,))): Tensor((s0 * 6,), \"float32\")"));
  EXPECT_THAT(torch_body("aten.flatten.using_ints", {kSelf, input_json("start_dim", "\"as_int\":1")}),
              ElementsAre("return x"));
}

TEST(TorchReduce, SumAndMean) {
  EXPECT_THAT(torch_body("aten.sum.dim_IntList", {kSelf, input_json("dim", "\"as_ints\":[-1]")}),
              Contains("y = sum(x, axis=[-1], keepdims=False): Tensor((s0,), \"float32\")"));
  EXPECT_THAT(torch_body("aten.mean.dim",
                         {kSelf, input_json("dim", "\"as_ints\":[0,1]"), input_json("keepdim", "\"as_bool\":true")}),
              Contains("y = mean(x, axis=[0, 1], keepdims=True): Tensor((1, 1), \"float32\")"));
  EXPECT_THAT(torch_body("aten.sum.dim_IntList",
                         {kSelf, input_json("dim", "\"as_none\":true"), input_json("dtype", "\"as_scalar_type\":7")}),
              Contains("y = sum(x, keepdims=False): Tensor((), \"float32\")"));
}

TEST(TorchCopies, LeaveNothing) {
  for (const char* target : {"aten.detach.default", "aten.alias.default", "aten.clone.default",
                             "aten.contiguous.default", "aten.lift_fresh_copy.default"})
    EXPECT_THAT(torch_body(target, {kSelf}), ElementsAre("return x")) << target;
  EXPECT_THAT(torch_body("aten.dropout.default", {tensor_input("input", "x"), input_json("p", "\"as_float\":0.5"),
                                                  input_json("train", "\"as_bool\":false")}),
              ElementsAre("return x"));
  EXPECT_THAT(torch_body("aten.to.dtype", {kSelf, input_json("dtype", "\"as_scalar_type\":7")}),
              ElementsAre("return x"));
}

TEST(TorchCopies, ChecksAndSizeArithmeticLeaveNothing) {
  const std::string check =
      R"({"target":"torch.ops.aten._assert_tensor_metadata.default","inputs":[],"outputs":[],"metadata":{},"name":null})";
  const std::string size =
      R"({"target":"torch.ops.aten.sym_size.int","inputs":[],"outputs":[{"as_sym_int":{"as_name":"b"}}],"metadata":{},"name":"b"})";
  const std::string twice =
      R"({"target":"_operator.mul","inputs":[],"outputs":[{"as_sym_int":{"as_name":"m"}}],"metadata":{},"name":"m"})";
  EXPECT_THAT(torch_body({.nodes = {check, size, twice, node_json("torch.ops.aten.relu.default", {kSelf}, "y")}}),
              ElementsAre(StartsWith("y = nn.relu(x)"), "return y"));
}

TEST(TorchSymbols, RangesBecomeAttributes) {
  Program p{.nodes = {node_json("torch.ops.aten.relu.default", {kSelf}, "y")}};
  p.ranges = R"("s0":{"min_val":4,"max_val":64},"s9":{"min_val":5,"max_val":6})";
  Ref<Function> f = main_of(read_program(p));
  EXPECT_EQ(*f->attr<AttrMap>("tir_var_upper_bound")->at("s0").find<int64_t>(), 64);
  EXPECT_EQ(*f->attr<AttrMap>("tir_var_lower_bound")->at("s0").find<int64_t>(), 4);
  EXPECT_EQ(f->attr<AttrMap>("tir_var_lower_bound")->size(), 1u) << "s9 is no symbol of this program";
  p.ranges = R"("s0":{"min_val":2,"max_val":null})";
  EXPECT_EQ(main_of(read_program(p))->attr<AttrMap>("tir_var_lower_bound"), nullptr)
      << "the exporter's default, which allows 0 and 1 too";
}

/// Returns the type of an input with dimension `text`, beside x: (s0, 6); or the error.
std::string size(const std::string& text) {
  Program p{.nodes = {node_json("torch.ops.aten.relu.default", {kSelf}, "y")}};
  p.metas["z"] = meta_json({text});
  p.more_inputs = R"(,{"user_input":{"arg":{"as_tensor":{"name":"z"}}}})";
  std::string described;
  const std::string error = error_of([&] { described = describe(main_of(read_program(p))->params[1]->type); });
  return error.empty() ? described : error;
}

TEST(TorchSymbols, SizesAreExpressions) {
  const std::string s = kSymbol;
  EXPECT_EQ(size("Add(Mul(Integer(2), " + s + "), Integer(-1))"), "Tensor((s0 * 2 - 1,), \"float32\")");
  EXPECT_EQ(size("FloorDiv(" + s + ", Integer(3))"), "Tensor((s0 // 3,), \"float32\")");
  EXPECT_EQ(size("Mod(" + s + ", Integer(3))"), "Tensor((s0 % 3,), \"float32\")");
  EXPECT_EQ(size("Mul(Rational(1, 2), Pow(" + s + ", Integer(2)))"), "Tensor((s0 * s0 // 2,), \"float32\")");
  EXPECT_EQ(size("Min(Integer(7), " + s + ")"), "Tensor((min(7, s0),), \"float32\")");
  EXPECT_EQ(size("Mul(Integer(6), Pow(" + s + ", Integer(-1)))"), "Tensor((6 // s0,), \"float32\")");
  EXPECT_EQ(size("ModularIndexing(" + s + ", Integer(2), Integer(5))"), "Tensor((s0 // 2 % 5,), \"float32\")");
}

TEST(TorchSymbols, E0709SizesThatAreNoIntegerExpressions) {
  std::string deep = kSymbol;
  for (int i = 0; i < 100; ++i) deep = "FloorDiv(" + deep + ", Integer(2))";
  std::string tall = kSymbol;
  for (int i = 0; i < 10; ++i) tall = "Pow(" + tall + ", Integer(8))";
  for (const std::string& text :
       {std::string("Foo(Integer(1))"), std::string("Add(Integer(1)"), std::string("Symbol('s"),
        std::string("Integer(99999999999999999999)"), std::string("Float('0.5', precision=53)"),
        std::string("Integer(1) x"), std::string(""), std::string("Rational(1, 0)"),
        "Pow(" + kSymbol + ", " + kSymbol + ")", deep, tall})
    EXPECT_THAT(size(text), HasSubstr(text.empty() ? "E0" : "E0709")) << text;
  EXPECT_THAT(size("Symbol('s5', integer=True)"), testing::Not(HasSubstr("E0709")));
  EXPECT_THAT(size("Mul(Symbol('s5', integer=True), Symbol('s5', integer=True))"),
              testing::AllOf(HasSubstr("E0709"), HasSubstr("no input has `s5` as a dimension of its own")));
}

TEST(TorchSymbols, ADimensionDerivedFromASymbolThatNoInputHasGetsOneOfItsOwn) {
  EXPECT_EQ(size("Mul(Integer(2), Symbol('s5', integer=True))"), "Tensor((s5_derived,), \"float32\")");
}

}  // namespace
}  // namespace sunmao
