#include "cli/option_values.h"

#include <gtest/gtest.h>

#include <functional>

#include "support/diagnostic.h"
#include "tests/unit/error_code.h"

namespace sunmao::cli {
namespace {

TEST(OptionValues, ReadsRangesAndSizes) {
  const auto ranges = parse_ranges({"batch=1..64", "seq=8"});
  EXPECT_EQ(ranges.at("batch"), (Interval{1, 64}));
  EXPECT_EQ(ranges.at("seq"), (Interval{8, 8}));
  EXPECT_EQ(parse_sizes({"n=0"}).at("n"), 0);
}

TEST(OptionValues, RefusesEverythingElse) {
  for (const char* text :
       {"batch", "=1", "batch=", "batch=1..", "batch=..2", "batch=2..1", "batch=1...3", "batch=-1", "batch=1x"})
    EXPECT_EQ(code_of([&] { parse_ranges({text}); }), "E0002") << text;
  EXPECT_EQ(code_of([] { parse_sizes({"n=1..2"}); }), "E0002");
}

TEST(OptionValues, SplitsTargetsButNotTheirOptions) {
  const auto targets = parse_targets({"x86-64-v2,x86-64-v3", "llvm -mcpu=x86-64-v4 -mattr=+avx512vnni,+avx512f"});
  ASSERT_EQ(targets.size(), 3u);
  EXPECT_EQ(targets[1].isa.name, "x86-64-v3");
  EXPECT_TRUE(targets[2].isa.has_feature("avx512vnni"));
  EXPECT_EQ(code_of([] { parse_targets({"x86-64-v2", "x86-64-v2"}); }), "E0002");
  EXPECT_EQ(code_of([] { parse_targets({"x86-64-v2,"}); }), "E1001");
}

TEST(OptionValues, NoTargetIsThisMachine) { EXPECT_EQ(parse_targets({}).size(), 1u); }

}  // namespace
}  // namespace sunmao::cli
