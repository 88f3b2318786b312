// A minimum cut costs as little as the best of all cuts, tried one by one.
#include "passes/layout/minimum_cut.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace sunmao {
namespace {

struct Costs {
  std::vector<std::pair<int64_t, int64_t>> own;  // at the source's side, at the sink's
  std::vector<std::tuple<int, int, int64_t>> between;

  int64_t of(const std::vector<bool>& at_source) const {
    int64_t total = 0;
    for (size_t i = 0; i < own.size(); ++i) total += at_source[i] ? own[i].first : own[i].second;
    for (const auto& [from, to, cost] : between)
      if (at_source[static_cast<size_t>(from)] && !at_source[static_cast<size_t>(to)]) total += cost;
    return total;
  }
};

std::vector<bool> solved(const Costs& costs) {
  MinimumCut cut;
  for (const auto& [at_source, at_sink] : costs.own) cut.cost(cut.node(), at_source, at_sink);
  for (const auto& [from, to, cost] : costs.between) cut.cost_between(from, to, cost);
  return cut.solve();
}

std::vector<bool> side(size_t nodes, unsigned bits) {
  std::vector<bool> out;
  for (size_t i = 0; i < nodes; ++i) out.push_back((bits >> i & 1U) != 0);
  return out;
}

TEST(MinimumCut, IsTheBestOfAllCuts) {
  std::mt19937 random(7);
  const auto draw = [&](int most) { return std::uniform_int_distribution<int>(0, most)(random); };
  for (int round = 0; round < 300; ++round) {
    const int nodes = 1 + draw(8);
    Costs costs;
    for (int i = 0; i < nodes; ++i) costs.own.emplace_back(draw(9), draw(9));
    for (int i = 0; i < 2 * nodes; ++i)
      costs.between.emplace_back(draw(nodes - 1), draw(nodes - 1), draw(5) == 0 ? MinimumCut::kNever : draw(6));
    const std::vector<bool> found = solved(costs);
    int64_t best = MinimumCut::kNever;
    for (unsigned bits = 0; bits < 1U << nodes; ++bits) best = std::min(best, costs.of(side(costs.own.size(), bits)));
    ASSERT_EQ(costs.of(found), best) << "round " << round;
    // No other best cut has a node at the source's side that this one has not.
    for (unsigned bits = 0; bits < 1U << nodes; ++bits) {
      const std::vector<bool> other = side(costs.own.size(), bits);
      for (size_t i = 0; costs.of(other) == best && i < other.size(); ++i) ASSERT_TRUE(found[i] || !other[i]);
    }
  }
}

TEST(MinimumCut, PrefersTheSourceWhereCostsAreEqual) {
  EXPECT_EQ(solved({.own = {{3, 3}, {0, 0}, {1, 0}, {0, 1}}, .between = {}}),
            (std::vector<bool>{true, true, false, true}));
}

TEST(MinimumCut, OfAChainAsLongAsAModelIsFound) {
  constexpr int kNodes = 20'000;
  Costs costs;
  for (int i = 0; i < kNodes; ++i) {
    costs.own.emplace_back(i == kNodes - 1 ? 5 : 0, i == 0 ? 9 : 0);
    if (i > 0) costs.between.emplace_back(i - 1, i, i == 100 ? 4 : 6);
  }
  const std::vector<bool> found = solved(costs);
  EXPECT_EQ(costs.of(found), 4);
  EXPECT_TRUE(found[99]);
  EXPECT_FALSE(found[100]);
}

}  // namespace
}  // namespace sunmao
