#include "sym/analyzer.h"

#include <gtest/gtest.h>

#include <random>

#include "sym/equal.h"
#include "sym/fold.h"
#include "sym/index_map.h"
#include "sym/solve.h"
#include "sym/walk.h"

namespace sunmao {
namespace {

int64_t value(const Scalar& s, const std::map<const Node*, int64_t>& env) {
  if (const int64_t* i = find_int(s)) return *i;
  if (find<SymVar>(s)) return env.at(s.get());
  const auto& b = *find<Binary>(s);
  return *evaluate(b.op, value(b.a, env), value(b.b, env));
}

// Returns a random expression whose divisors are positive constants, so that every value is defined.
Scalar random_scalar(std::mt19937& rng, const std::vector<Ref<SymVar>>& symbols, int depth) {
  if (depth == 0 || rng() % 5 == 0) {
    if (rng() % 2) return symbols[rng() % symbols.size()];
    return int_imm(static_cast<int64_t>(rng() % 9) - 4);
  }
  static constexpr BinaryOp kOps[] = {BinaryOp::Add,      BinaryOp::Sub, BinaryOp::Mul,
                                      BinaryOp::FloorDiv, BinaryOp::Div, BinaryOp::FloorMod,
                                      BinaryOp::TruncMod, BinaryOp::Min, BinaryOp::Max};
  BinaryOp op = kOps[rng() % 9];
  Scalar a = random_scalar(rng, symbols, depth - 1);
  bool divides =
      op == BinaryOp::FloorDiv || op == BinaryOp::FloorMod || op == BinaryOp::Div || op == BinaryOp::TruncMod;
  return Binary::make(op, a,
                      divides ? int_imm(1 + static_cast<int64_t>(rng() % 5)) : random_scalar(rng, symbols, depth - 1));
}

TEST(Analyzer, simplifying_keeps_the_value_on_all_small_integers) {
  std::mt19937 rng(7);
  std::vector<Ref<SymVar>> symbols{SymVar::make("n"), SymVar::make("m")};
  for (int round = 0; round < 2000; ++round) {
    Scalar s = random_scalar(rng, symbols, 4);
    Analyzer analyzer;
    for (const Ref<SymVar>& v : symbols) analyzer.assume(v, {-3, 5});
    Scalar simple = analyzer.simplify(s);
    Interval range = analyzer.range(s);
    for (int64_t n = -3; n <= 5; ++n) {
      for (int64_t m = -3; m <= 5; ++m) {
        std::map<const Node*, int64_t> env{{symbols[0].get(), n}, {symbols[1].get(), m}};
        int64_t expected = value(s, env);
        ASSERT_EQ(value(simple, env), expected);
        ASSERT_LE(range.lo, expected);
        ASSERT_GE(range.hi, expected);
      }
    }
  }
}

TEST(Analyzer, proofs_are_right_on_all_small_integers) {
  std::mt19937 rng(11);
  std::vector<Ref<SymVar>> symbols{SymVar::make("n"), SymVar::make("m")};
  static constexpr BinaryOp kCompare[] = {BinaryOp::Eq, BinaryOp::Ne, BinaryOp::Lt,
                                          BinaryOp::Le, BinaryOp::Gt, BinaryOp::Ge};
  int decided = 0;
  for (int round = 0; round < 2000; ++round) {
    Scalar condition =
        Binary::make(kCompare[rng() % 6], random_scalar(rng, symbols, 3), random_scalar(rng, symbols, 3));
    Analyzer analyzer;
    for (const Ref<SymVar>& v : symbols) analyzer.assume(v, {0, 4});
    Proof proof = analyzer.prove(condition);
    if (proof == Proof::Unknown) continue;
    ++decided;
    for (int64_t n = 0; n <= 4; ++n)
      for (int64_t m = 0; m <= 4; ++m)
        ASSERT_EQ(value(condition, {{symbols[0].get(), n}, {symbols[1].get(), m}}), proof == Proof::Yes ? 1 : 0);
  }
  EXPECT_GT(decided, 100);
}

TEST(Analyzer, sees_through_spelling) {
  Scalar n = SymVar::make("n"), m = SymVar::make("m");
  Analyzer a;
  EXPECT_TRUE(a.can_prove_equal(n * int_imm(2) + n, int_imm(3) * n));
  EXPECT_TRUE(a.can_prove_equal((n + m) * (n - m), n * n - m * m));
  EXPECT_TRUE(a.can_prove_equal(floor_div(n * m, m), n));
  EXPECT_TRUE(a.can_prove_equal(floor_div(n * int_imm(4) + int_imm(4), int_imm(4)), n + int_imm(1)));
  EXPECT_TRUE(a.can_prove_equal(floor_div(floor_div(n, int_imm(2)), int_imm(3)), floor_div(n, int_imm(6))));
  EXPECT_TRUE(a.can_prove_equal(min(n, m), min(m, n)));
  EXPECT_FALSE(a.can_prove_equal(n, m));
  EXPECT_EQ(a.prove(Binary::make(BinaryOp::Ne, n, n + int_imm(1))), Proof::Yes);
}

TEST(Analyzer, does_nothing_when_there_is_nothing_to_do) {
  Scalar n = SymVar::make("n");
  Scalar s = n + int_imm(1);
  Analyzer a;
  EXPECT_TRUE(a.simplify(s).same_as(s));
  EXPECT_TRUE(substitute(s, {{SymVar::make("n"), int_imm(3)}}).same_as(s));
}

TEST(Analyzer, overflow_keeps_the_expression) {
  Scalar n = SymVar::make("n");
  Scalar s = n * int_imm(Interval::kMax) * int_imm(2);
  Analyzer a;
  EXPECT_EQ(a.range(s).hi, Interval::kMax);
  EXPECT_FALSE(a.can_prove_equal(s, int_imm(0)));
}

TEST(Analyzer, a_cast_that_narrows_may_wrap) {
  Analyzer a;
  const Ref<SymVar> n = SymVar::make("n");
  const Scalar narrow = Cast::make(DType::int_(8), n), wide = Cast::make(DType::int_(32), n);
  a.assume(n, {200, 1000});
  EXPECT_EQ(a.range(narrow), (Interval{-128, 127}));
  EXPECT_EQ(a.range(wide), (Interval{200, 1000}));
  EXPECT_EQ(a.range(Cast::make(DType::uint(8), n)), (Interval{0, 255}));
  EXPECT_EQ(a.range(Cast::make(DType::int_(64), SymVar::make("b", DType::uint(8)))), (Interval{0, 255}));
  const Scalar compared = a.simplify(Binary::make(BinaryOp::Lt, int_imm(0), Cast::make(DType::int_(64), narrow)));
  EXPECT_FALSE(find_int(compared));
}

TEST(Solve, gives_the_only_value) {
  const Ref<SymVar> n = SymVar::make("n"), m = SymVar::make("m");
  const auto check = [&](const Scalar& expr, const Scalar& value, const Scalar& expected) {
    const Scalar solved = solve(expr, value, n);
    ASSERT_TRUE(solved);
    Analyzer analyzer;
    EXPECT_TRUE(analyzer.can_prove_equal(solved, expected));
    EXPECT_TRUE(analyzer.can_prove_equal(substitute(expr, {{n, solved}}), value));
  };
  check(n * int_imm(2), int_imm(8), int_imm(4));
  check(n * int_imm(2) + int_imm(3), m * int_imm(4) + int_imm(3), m * int_imm(2));
  check(int_imm(9) - n, m, int_imm(9) - m);
  check(m + n * int_imm(-3), m - int_imm(6), int_imm(2));
}

TEST(Solve, gives_nothing_where_it_is_not_sure) {
  const Ref<SymVar> n = SymVar::make("n"), m = SymVar::make("m");
  EXPECT_FALSE(solve(n * int_imm(2), int_imm(7), n));
  EXPECT_FALSE(solve(n * int_imm(2), m, n));
  EXPECT_FALSE(solve(n * m, int_imm(8), n));
  EXPECT_FALSE(solve(n * n, int_imm(4), n));
  EXPECT_FALSE(solve(floor_div(n, int_imm(2)), int_imm(4), n));
  EXPECT_FALSE(solve(m, int_imm(4), n));
}

TEST(IndexMap, panels_cover_what_they_must) {
  Ref<SymVar> k = SymVar::make("k"), n = SymVar::make("n");
  Ref<IndexMap> panels = IndexMap::make({k, n}, {floor_div(n, int_imm(16)), k, floor_mod(n, int_imm(16))});
  std::vector<Scalar> shape = panels->map_shape(std::vector<Scalar>{int_imm(5), int_imm(33)});
  EXPECT_EQ(*find_int(shape[0]), 3);
  EXPECT_EQ(*find_int(shape[1]), 5);
  EXPECT_EQ(*find_int(shape[2]), 16);
  std::vector<Scalar> at = panels->apply(std::vector<Scalar>{int_imm(2), int_imm(20)});
  EXPECT_EQ(*find_int(at[0]), 1);
  EXPECT_EQ(*find_int(at[2]), 4);
}

TEST(IndexMap, tiles_are_whole) {
  Ref<SymVar> i = SymVar::make("i");
  const Ref<IndexMap> tiles = IndexMap::make({i}, {floor_div(i, int_imm(4)), floor_mod(i, int_imm(4))});
  const std::vector<Scalar> shape = tiles->map_shape(std::vector<Scalar>{int_imm(3)});
  EXPECT_EQ(*find_int(shape[0]), 1);
  EXPECT_EQ(*find_int(shape[1]), 4);
}

TEST(Equality, maps_what_is_defined_and_reports_where_two_differ) {
  Ref<SymVar> a = SymVar::make("a"), b = SymVar::make("b");
  EXPECT_FALSE(structural_equal(Scalar(a), Scalar(b)));
  Equality mapped;
  mapped.define(a.get(), b.get());
  EXPECT_TRUE(mapped.scalar(Scalar(a) + int_imm(1), Scalar(b) + int_imm(1)));
  EXPECT_FALSE(mapped.scalar(Scalar(a) + int_imm(1), Scalar(b) + int_imm(2)));
  EXPECT_EQ(mapped.difference(), ".b.value: 1 against 2");
  EXPECT_EQ(structural_hash(Scalar(a) + int_imm(1)), structural_hash(Scalar(SymVar::make("a")) + int_imm(1)));
}

}  // namespace
}  // namespace sunmao
