// Guards of exported programs: Python comparisons of sizes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/torch/guards.h"
#include "ops/ops.h"

namespace sunmao {
namespace {

using torch::Guard;

class TorchGuards : public testing::Test {
 protected:
  std::optional<Guard> parse(std::string_view text) { return torch::parse_guard(text, sizes_, builder_); }
  std::string right(std::string_view text) {
    const std::optional<Guard> guard = parse(text);
    return guard ? sunmao::describe(builder_.simplify(guard->right)) : "none";
  }

  ModelBuilder builder_{builtin_ops(), "m.pt2"};
  const torch::ArgumentSizes sizes_{{"L['x']", {int_imm(6), Scalar(builder_.symbol("n"))}},
                                    {"L['d'][0]['k']", {int_imm(4)}}};
};

TEST_F(TorchGuards, ArithmeticAsInPython) {
  EXPECT_EQ(right("0 == L['x'].size()[0] // 4 + 2*3 - 1"), "6");
  EXPECT_EQ(right("0 <= -(L['d'][0]['k'].size()[0] - 1) % 4"), "1");
  EXPECT_EQ(right("0 != 2**3*Max(1, 5, 2) - min(7, 3)"), "37");
  EXPECT_EQ(right("9 > L['x'].size()[1]"), "n");
  EXPECT_EQ(right("(L['x'].size()[1] % 4) == 0"), "0");
}

TEST_F(TorchGuards, WhatTheExporterAssumesOfEverySizeIsNoGuard) {
  for (const char* text : {"L['x'].size()[1] != 1", "L['x'].size()[1] != 0", "L['x'].size()[1] >= 2", "n > 1"})
    EXPECT_FALSE(parse(text)) << text;
  EXPECT_TRUE(parse("L['x'].size()[1] != 3"));
  EXPECT_TRUE(parse("L['x'].size()[1] >= 3"));
}

TEST_F(TorchGuards, OtherTextsAreNone) {
  const std::string deep = std::string(100, '(') + "1" + std::string(100, ')') + " == 1";
  std::string many = "1";
  for (int i = 0; i < 1000; ++i) many += " + 1";
  for (const std::string& text :
       {std::string(), std::string("=="), std::string("1 =="), std::string("L['x'].size()[2] == 4"),
        std::string("L['y'].size()[0] == 4"), std::string("L['x'].size()[ == 4"), std::string("L['x'] is None"),
        std::string("L['x'].size()[-1] == 4"), std::string("n == 0.5"), std::string("n / 2 == 5"),
        std::string("n % 0 == 5"), std::string("n // 0 == 5"), std::string("n ** 99 == 5"), std::string("f(n) == 5"),
        std::string("n == 5 and n == 6"), std::string("99999999999999999999 == n"), std::string("L["), deep,
        many + " == 7"})
    EXPECT_FALSE(parse(text)) << text;
}

}  // namespace
}  // namespace sunmao
