// Properties of op records: canonicalisation, variadic inputs, defaults.
#include "ir/equal.h"
#include "tests/unit/ops/op_case.h"

namespace sunmao {
namespace {

bool same(const Ref<Call>& a, const Ref<Call>& b) { return structural_equal(Expr(a), Expr(b)); }

TEST(Records, DefaultsAreFilledIn) {
  Expr x = tensor({2, 3});
  EXPECT_TRUE(same(call_op("nn.softmax", {x}), call_op("nn.softmax", {x}, axis(-1))));
  EXPECT_FALSE(same(call_op("nn.softmax", {x}), call_op("nn.softmax", {x}, axis(1))));
  EXPECT_TRUE(call_op("sum", {x})->attrs.has("keepdims"));
}

TEST(Records, AttributesThatMeanTheSameAreOne) {
  Expr x = tensor({2, 3, 8, 8}), w = tensor({4, 3, 3, 3});
  AttrMap all{{"strides", AttrValue::ints({1, 1})},
              {"padding", AttrValue::ints({0, 0, 0, 0})},
              {"dilation", AttrValue::ints({1, 1})},
              {"out_layout", "NCHW"},
              {"out_dtype", ""},
              {"groups", AttrValue(int_imm(1))}};
  EXPECT_TRUE(same(call_op("nn.conv2d", {x, w}), call_op("nn.conv2d", {x, w}, all)));
  EXPECT_TRUE(same(call_op("sum", {x}, axis(1)), call_op("sum", {x}, {{"axis", AttrValue::ints({1})}})));
  EXPECT_TRUE(same(call_op("astype", {x}, {{"dtype", "int8"}}), call_op("astype", {x}, {{"dtype", DType::int_(8)}})));
  EXPECT_TRUE(same(call_op("nn.leakyrelu", {x}, {{"alpha", 1}}), call_op("nn.leakyrelu", {x}, {{"alpha", 1.0}})));
}

TEST(Records, ArgumentsThatAreLeftOut) {
  Expr x = tensor({3, 3});
  ASSERT_EQ(call_op("tril", {x})->args.size(), 2u);
  EXPECT_EQ(*find_int(find<PrimValue>(call_op("tril", {x})->args[1])->value), 0);
  EXPECT_EQ(call_op("nn.attention", {tensor({1, 1, 1, 1}), tensor({1, 1, 1, 1}), tensor({1, 1, 1, 1})})->args.size(),
            3u);
  Ref<Call> range = call_op("arange", {number(5)});
  ASSERT_EQ(range->args.size(), 3u);
  EXPECT_EQ(*find_int(find<PrimValue>(range->args[0])->value), 0);
  EXPECT_EQ(*find_int(find<PrimValue>(range->args[1])->value), 5);
}

TEST(Records, ACanonicalCallKeepsItsAttributes) {
  Ref<Call> c = call_op("nn.conv2d", {tensor({2, 3, 8, 8}), tensor({4, 3, 3, 3})});
  Ref<Call> again = Call::make(c->callee, c->args, c->attrs);
  EXPECT_TRUE(again->attrs.same_as(c->attrs));
}

TEST(Records, VariadicInputs) {
  Expr x = tensor({2}), y = tensor({3});
  EXPECT_EQ(inferred("print", {}), "Tuple()");
  EXPECT_EQ(call_op("print", {x, y, x})->args.size(), 3u);
  EXPECT_EQ(failure("assert_op", {}), "E0202");
  Expr condition = PrimValue::make(IntImm::make(DType::bool_(), 1));
  EXPECT_EQ(inferred("assert_op", {condition, x, y}), "Tuple()");
  EXPECT_EQ(failure("assert_op", {x}), "E0201");
}

TEST(Records, EachHasAMeaningOrSaysNone) {
  for (const Ref<Op>& op : builtin_ops().all()) {
    EXPECT_FALSE(op->info.summary.empty()) << op->name();
    for (const OpParam& p : op->info.params) EXPECT_FALSE(p.doc.empty()) << op->name() << "." << p.name;
    for (size_t i = 0; i < op->info.params.size(); ++i)
      for (size_t j = 0; j < i; ++j) EXPECT_NE(op->info.params[i].name, op->info.params[j].name) << op->name();
  }
}

}  // namespace
}  // namespace sunmao
