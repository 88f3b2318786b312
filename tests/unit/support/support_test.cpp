#include <gtest/gtest.h>

#include "support/array.h"
#include "support/diagnostic.h"
#include "support/half.h"
#include "support/spelling.h"

namespace sunmao {
namespace {

struct Link final : Node {
  const Ref<Link> next;
  static Ref<Link> make(Ref<Link> n) { return Ref<Link>(new Link(std::move(n))); }

 private:
  explicit Link(Ref<Link> n) : next(std::move(n)) {}
};

TEST(Ref, frees_a_million_links_without_recursion) {
  Ref<Link> chain;
  for (int i = 0; i < 1'000'000; ++i) chain = Link::make(chain);
  chain = nullptr;
  EXPECT_FALSE(chain);
}

TEST(Array, copies_just_the_bytes_of_its_shape) {
  const std::vector<std::byte> bytes(1 << 20);
  EXPECT_THROW(Array::copy(DType::int_(8), {2}, bytes), std::exception);
  EXPECT_THROW(Array::copy(DType::int_(64), {2}, std::span(bytes).first(8)), std::exception);
  EXPECT_EQ(Array::copy(DType::int_(8), {2, 4}, std::span(bytes).first(8)).size_bytes(), 8u);
}

TEST(Diagnostic, shows_line_caret_notes_and_help) {
  Ref<Source> source = Source::make("mlp.py", "first\n  y = R.mul(x)\n");
  Diagnostic d{.code = "E0204",
               .message = "unknown op `mul`",
               .span = SpanNode::make(source, 2, 7, 12),
               .notes = {"x: Tensor"},
               .help = "did you mean `multiply`?"};
  std::string text = render(d);
  EXPECT_EQ(text,
            "error[E0204]: unknown op `mul`\n"
            "  --> mlp.py:2:7\n"
            " 2 |   y = R.mul(x)\n"
            "   |       ^^^^^\n"
            "   |  x: Tensor\n"
            "  help: did you mean `multiply`?\n");
}

TEST(Diagnostic, a_place_in_a_binary_model_is_its_label) {
  Diagnostic d{.code = "E0311",
               .message = "m",
               .span = SpanNode::make(Source::make("bert.onnx", ""), 0, 0, 0, "node `MatMul_17`"),
               .notes = {},
               .help = ""};
  EXPECT_EQ(render(d), "error[E0311]: m\n  --> bert.onnx: node `MatMul_17`\n");
}

TEST(DType, names_round_trip) {
  for (const char* name :
       {"float32", "int8x4", "bool", "bfloat16", "uint64", "float8_e4m3fn", "float8_e4m3fnuz", "float4_e2m1fn",
        "float6_e2m3fn", "float6_e3m2fn", "handle", "float32xvscalex4", "uint1xvscalex16"})
    EXPECT_EQ(DType::parse(name)->str(), name);
  EXPECT_EQ(DType::parse("int"), DType::int_(32));
  EXPECT_EQ(DType::parse("bfloat"), DType::parse("bfloat16"));
  EXPECT_NE(DType::parse("float32x4"), DType::parse("float32xvscalex4"));
  EXPECT_EQ(DType::float_(32).with_lanes({4, true}).element(), DType::float_(32));
  for (const char* name : {"float33", "int8x", "quux", "float32x0", "int99999999999", "int8xvscalex", "int8xvscale"})
    EXPECT_FALSE(DType::parse(name)) << name;
}

TEST(Half, rounds_to_nearest_even_and_keeps_special_values) {
  EXPECT_EQ(to_float16(1.0f), 0x3c00);
  EXPECT_EQ(to_float16(65520.0f), 0x7c00);  // halfway above the largest
  EXPECT_EQ(to_float16(65519.0f), 0x7bff);
  EXPECT_EQ(to_float16(0x1p-24f), 0x0001);  // the smallest subnormal
  EXPECT_EQ(to_float16(0x1p-25f), 0x0000);  // halfway to the smallest subnormal rounds to even
  EXPECT_EQ(from_float16(0x0001), 0x1p-24f);
  EXPECT_TRUE(std::isnan(from_float16(to_float16(NAN))));
  EXPECT_TRUE(std::isnan(from_bfloat16(to_bfloat16(NAN))));
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    float value = from_float16(static_cast<uint16_t>(bits));
    if (std::isnan(value)) continue;
    ASSERT_EQ(to_float16(value), bits);
  }
}

TEST(Array, compares_by_dtype_shape_and_bytes) {
  std::vector<float> values{1, 2, 3, 4};
  Array a = Array::from_floats({2, 2}, values), b = Array::from_floats({2, 2}, values),
        c = Array::from_floats({4}, values);
  EXPECT_TRUE(a == b);
  EXPECT_FALSE(a == c);
  EXPECT_EQ(Array::from_floats({0, 3}, {}).count(), 0);
}

TEST(Spelling, suggests_what_is_close) {
  EXPECT_EQ(did_you_mean("matmull", {"matmul", "add"}), "did you mean `matmul`?");
  EXPECT_EQ(did_you_mean("relu", {"nn.relu", "add"}), "did you mean `nn.relu`?");
  EXPECT_EQ(did_you_mean("zzzzzz", {"matmul", "add"}), "");
}

}  // namespace
}  // namespace sunmao
