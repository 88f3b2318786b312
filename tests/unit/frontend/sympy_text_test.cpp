// Expressions of exported programs, as sympy writes them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/findings.h"
#include "frontend/shapes.h"
#include "frontend/torch/symbolic_number.h"
#include "ops/ops.h"

namespace sunmao {
namespace {

using testing::ElementsAre;
using torch::parse_sympy;
using torch::SympyNode;

SympyNode parsed(std::string_view text) {
  const std::optional<SympyNode> node = parse_sympy(text);
  EXPECT_TRUE(node) << text;
  return node.value_or(SympyNode());
}

TEST(SympyText, BecomesATree) {
  constexpr std::string_view kText =
      "LessThan(Mul(Integer(-2), Symbol('u0', integer=True)), Float('1.5', precision=53))";
  const SympyNode node = parsed(kText);
  EXPECT_EQ(node.text, kText);
  ASSERT_EQ(node.args.size(), 2u);
  EXPECT_EQ(node.args[0].text, "Mul(Integer(-2), Symbol('u0', integer=True))");
  EXPECT_EQ(node.args[1].args[0].text, "1.5");
  EXPECT_EQ(node.args[1].args.size(), 1u) << "assumptions are passed over";
  EXPECT_THAT(torch::symbol_names(node), ElementsAre("u0"));
  EXPECT_FALSE(torch::is_of_integers(node));
  EXPECT_TRUE(torch::is_of_integers(node.args[0]));
}

TEST(SympyText, OtherTextsAreNone) {
  std::string deep, many = "Add(Integer(1)";
  for (int i = 0; i < 100; ++i) deep += "Abs(";
  for (int i = 0; i < 1000; ++i) many += ", Integer(1)";
  for (const std::string& text : {std::string(), std::string("Add("), std::string("Add()"), std::string("Symbol('u0"),
                                  std::string("Integer(1)) "), std::string("Integer(1), 2"), std::string("Add(,)"),
                                  std::string("Symbol('u0', integer=)"), deep, many + ")"})
    EXPECT_FALSE(parse_sympy(text)) << text;
}

class SymbolicNumbers : public testing::Test {
 protected:
  Expr number(std::string_view text) {
    return torch::number_of(
        parsed(text), [&](std::string_view) { return integer_constant(DType::int_(64), 7, nullptr); }, builder_,
        nullptr);
  }

  ModelBuilder builder_{builtin_ops(), "m.pt2"};
};

TEST_F(SymbolicNumbers, AreOfThreeDtypes) {
  EXPECT_EQ(dtype_of(number("Add(Symbol('u0'), Integer(1))")), DType::int_(64));
  EXPECT_EQ(dtype_of(number("Mul(Symbol('u0'), Float('0.5', precision=53))")), DType::float_(64));
  EXPECT_EQ(dtype_of(number("IntTrueDiv(Symbol('u0'), Integer(2))")), DType::float_(64));
  EXPECT_EQ(dtype_of(number("TruncToInt(Float('2.5'))")), DType::int_(64));
  EXPECT_EQ(dtype_of(number("And(true, StrictLessThan(Symbol('u0'), Integer(2)))")), DType::bool_());
  EXPECT_EQ(dtype_of(number("Piecewise(ExprCondPair(Integer(1), Equality(Symbol('u0'), Integer(1))), "
                            "ExprCondPair(Integer(0), true))")),
            DType::int_(64));
}

TEST_F(SymbolicNumbers, OthersCannotBeRead) {
  for (const char* text : {"oo", "Zeta(Integer(2))", "Piecewise(Integer(1))", "Integer(x)", "Float('1.5x')",
                           "Equality(Integer(1))", "OpaqueUnaryFn_zeta(Integer(2))", "Symbol"})
    EXPECT_THROW(number(text), UnsupportedUse) << text;
}

}  // namespace
}  // namespace sunmao
