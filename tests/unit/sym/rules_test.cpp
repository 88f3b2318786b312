// Checks every simplification rule on all small integers.
#include "sym/rules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "sym/analyzer.h"
#include "sym/equal.h"
#include "sym/fold.h"
#include "sym/walk.h"

namespace sunmao {
namespace {

constexpr int64_t kLeast = -5, kMost = 5;

// Returns the value of `s` under an assignment of its names; absent when it divides by zero.
std::optional<int64_t> value_of(const Scalar& s, const Substitution& values) {
  const Scalar folded = rewrite(substitute(s, values), [](const Scalar& node) { return fold_constants(node); });
  const int64_t* value = find_int(folded);
  return value ? std::optional(*value) : std::nullopt;
}

// Calls `check` with every assignment of small numbers to the names.
void for_each_assignment(const std::vector<Ref<SymVar>>& names, Substitution& values, size_t at,
                         const std::function<void(const Substitution&)>& check) {
  if (at == names.size()) return check(values);
  const bool is_condition = names[at]->dtype.is_bool();
  for (int64_t v = is_condition ? 0 : kLeast; v <= (is_condition ? 1 : kMost); ++v) {
    values[names[at]] = IntImm::make(names[at]->dtype, v);
    for_each_assignment(names, values, at + 1, check);
  }
}

class RuleTest : public testing::TestWithParam<size_t> {};

TEST_P(RuleTest, holds_for_all_small_integers) {
  const Rule& rule = simplification_rules()[GetParam()];
  SCOPED_TRACE(rule.name);
  size_t checked = 0;
  Substitution values;
  for_each_assignment(free_symbols(rule.from), values, 0, [&](const Substitution& numbers) {
    if (rule.when && value_of(rule.when, numbers).value_or(0) == 0) return;
    std::optional<int64_t> from = value_of(rule.from, numbers), to = value_of(rule.to, numbers);
    if (!from) return;
    ++checked;
    ASSERT_TRUE(to);
    ASSERT_EQ(*from, *to);
  });
  EXPECT_GT(checked, 1u) << "the rule says nothing";
}

// With some constants substituted, a rule applies to the left side, and the analyzer simplifies its result and the
// left side to the same expression.
TEST_P(RuleTest, is_applied) {
  const Rule& rule = simplification_rules()[GetParam()];
  SCOPED_TRACE(rule.name);
  std::vector<Ref<SymVar>> constants;
  for (const Ref<SymVar>& v : free_symbols(rule.from))
    if (v->name == "a" || v->name == "b") constants.push_back(v);
  bool applied = false;
  Substitution values;
  for_each_assignment(constants, values, 0, [&](const Substitution& numbers) {
    if (applied || (rule.when && value_of(rule.when, numbers).value_or(0) == 0)) return;
    const Scalar from = substitute(rule.from, numbers);
    const Scalar result = apply_rules(from);
    if (!result) return;
    applied = true;
    Analyzer left, right;
    EXPECT_TRUE(structural_equal(left.simplify(from), right.simplify(result)));
  });
  EXPECT_TRUE(applied);
}

INSTANTIATE_TEST_SUITE_P(Table, RuleTest, testing::Range(size_t{0}, simplification_rules().size()),
                         [](const testing::TestParamInfo<size_t>& row) {
                           std::string name = simplification_rules()[row.param].name;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(Rules, hold_of_no_unsigned_number) {
  const Scalar x = SymVar::make("x", DType::uint(32)), three = IntImm::make(DType::uint(32), 3);
  EXPECT_FALSE(apply_rules(Binary::make(BinaryOp::Lt, x - three, three)));
}

TEST(Rules, keep_to_constants_that_fit) {
  const Scalar x = SymVar::make("x", DType::int_(8)), hundred = IntImm::make(DType::int_(8), 100);
  EXPECT_FALSE(apply_rules(Binary::make(BinaryOp::Lt, x - hundred, hundred)));
  EXPECT_FALSE(apply_rules(Binary::make(BinaryOp::Le, floor_div(x, IntImm::make(DType::int_(8), 4)), hundred)));
  EXPECT_TRUE(apply_rules(Binary::make(BinaryOp::Lt, x - IntImm::make(DType::int_(8), 27), hundred)));
}

// Checks rules for comparisons of x // a, x + a and x - a with b on all 8-bit integers x, for some constants a and b.
TEST(Rules, hold_for_all_integers_of_eight_bits) {
  const DType int8 = DType::int_(8);
  const Ref<SymVar> x = SymVar::make("x", int8);
  static constexpr BinaryOp kCompare[] = {BinaryOp::Lt, BinaryOp::Le, BinaryOp::Gt, BinaryOp::Ge};
  static constexpr BinaryOp kInner[] = {BinaryOp::FloorDiv, BinaryOp::Add, BinaryOp::Sub};
  for (BinaryOp compare : kCompare)
    for (BinaryOp inner : kInner)
      for (int64_t a : {-128, -100, -3, 1, 4, 50, 127})
        for (int64_t b : {-128, -77, 0, 5, 100, 127}) {
          const Scalar from =
              Binary::make(compare, Binary::make(inner, x, IntImm::make(int8, a)), IntImm::make(int8, b));
          const Scalar to = apply_rules(from);
          if (!to) continue;
          for (int64_t v = -128; v < 128; ++v) {
            const std::optional<int64_t> inside = evaluate(inner, v, a);
            if (!inside || *inside < -128 || *inside > 127) continue;
            const Substitution at{{x, IntImm::make(int8, v)}};
            ASSERT_EQ(value_of(from, at), value_of(to, at)) << v << " " << a << " " << b;
          }
        }
}

TEST(Analyzer, divides_the_least_integer) {
  const Scalar least = int_imm(Interval::kMin), minus_one = int_imm(-1), n = SymVar::make("n");
  Analyzer analyzer;
  for (const Scalar& s : {floor_div(least, minus_one), floor_mod(least, minus_one), floor_mod(n * least, minus_one)})
    EXPECT_TRUE(analyzer.simplify(s));
}

TEST(Analyzer, is_linear_in_depth) {
  const Ref<SymVar> x = SymVar::make("x"), y = SymVar::make("y");
  Analyzer analyzer;
  analyzer.assume(y, {1, 9});
  Scalar s = x;
  for (int step = 0; step < 60; ++step) s = step % 2 ? min(max(s, y) + x, y) : floor_mod(s, y) + x;
  EXPECT_TRUE(analyzer.simplify(s));
  EXPECT_EQ(analyzer.prove(Binary::make(BinaryOp::Lt, s, s)), Proof::No);
}

TEST(Rules, tell_truth_from_numbers) {
  const Scalar p = SymVar::make("p", DType::bool_());
  EXPECT_FALSE(apply_rules(Select::make(p, int_imm(1), int_imm(0))));
}

TEST(Rules, names_differ) {
  std::set<std::string> names;
  for (const Rule& r : simplification_rules()) EXPECT_TRUE(names.insert(r.name).second) << r.name;
}

TEST(Analyzer, joins_quotient_and_remainder) {
  const Scalar x = SymVar::make("x"), y = SymVar::make("y"), four = int_imm(4);
  Analyzer analyzer;
  EXPECT_TRUE(structural_equal(analyzer.simplify(floor_div(x, four) * four + floor_mod(x, four)), x));
  const Scalar scaled = floor_div(x + y, four) * int_imm(12) + floor_mod(x + y, four) * int_imm(3) + y;
  EXPECT_TRUE(analyzer.can_prove_equal(scaled, x * int_imm(3) + y * int_imm(4)));
  EXPECT_FALSE(analyzer.can_prove_equal(floor_div(x, four) * int_imm(5) + floor_mod(x, four), x));
}

}  // namespace
}  // namespace sunmao
