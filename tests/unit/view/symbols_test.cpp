// Symbols of two functions that stand for each other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "view/compare.h"

namespace sunmao::view {
namespace {

using testing::ElementsAre;

Symbols symbols_in(std::string_view size) {
  Symbols symbols;
  note_symbols(size, symbols);
  return symbols;
}

TEST(Symbols, NamesInASize) {
  EXPECT_THAT(symbols_in("max(4 * n, m2) + n"), ElementsAre("m2", "n"));
  EXPECT_THAT(symbols_in("64"), ElementsAre());
  EXPECT_THAT(symbols_in("?"), ElementsAre());
  EXPECT_THAT(symbols_in("größe"), ElementsAre("größe"));
}

TEST(Symbols, ATextWithoutThem) {
  std::vector<std::string> found;
  const Symbols symbols{"n", "seq", "float32"};
  EXPECT_EQ(without_symbols("Tensor((n, 4 * seq, next), \"float32\")", symbols, &found),
            "Tensor((?, 4 * ?, next), \"float32\")");
  EXPECT_THAT(found, ElementsAre("n", "seq"));
}

TEST(Symbols, EachStandsForOneOther) {
  const Symbols a{"n", "m"}, b{"m", "s7", "s8"};
  SymbolPairs pairs(a, b);
  EXPECT_FALSE(pairs.match("(n, 4)", "(s7, 5)"));
  EXPECT_FALSE(pairs.match("(n, n)", "(s7, s8)"));
  EXPECT_FALSE(pairs.match("(n, m)", "(s7, s7)"));
  EXPECT_TRUE(pairs.match("(n, 4)", "(s8, 4)")) << "what does not match makes no pairs";
  EXPECT_FALSE(pairs.match("(n,)", "(s7,)"));
  EXPECT_FALSE(pairs.match("(m,)", "(s8,)"));
  EXPECT_TRUE(pairs.match("(m, n)", "(m, s8)"));
}

GraphFunction function_of(const std::string& size, const std::string& other) {
  const auto type = [](const std::string& dim) { return "Tensor((" + dim + ", 4), \"float32\")"; };
  return {.name = "main",
          .nodes = {{.kind = NodeKind::Input, .name = "x", .op = "input", .type = type(size)},
                    {.name = "y", .op = "exp", .type = type(size), .inputs = {0}},
                    {.name = "z", .op = "tile", .type = type(other), .inputs = {1}}},
          .symbols = {"n", "batch", "s77"}};
}

std::vector<Mark> marks(const GraphFunction& a, const GraphFunction& b) {
  std::vector<Mark> out;
  for (const NodeMatch& m : match(a, b).a) out.push_back(m.mark);
  return out;
}

TEST(Symbols, NodesWhoseSymbolsHaveOtherNamesAreTheSame) {
  EXPECT_THAT(marks(function_of("batch", "2 * batch"), function_of("s77", "2 * s77")),
              ElementsAre(Mark::Same, Mark::Same, Mark::Same));
  EXPECT_THAT(marks(function_of("batch", "2 * batch"), function_of("s77", "2 * n")),
              ElementsAre(Mark::Same, Mark::Same, Mark::Changed));
  EXPECT_THAT(marks(function_of("batch", "2 * batch"), function_of("8", "16")),
              ElementsAre(Mark::Changed, Mark::Changed, Mark::Changed));
}

}  // namespace
}  // namespace sunmao::view
