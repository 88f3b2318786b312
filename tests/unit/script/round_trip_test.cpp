// Every script of tests/script: its printed form parses to an equal module, and prints to the same text again.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "ir/equal.h"
#include "script/parse.h"
#include "script/print.h"
#include "tests/unit/script/fake_ops.h"

namespace sunmao {
namespace {

std::string read_file(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::vector<std::string> corpus() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator("tests/script"))
    if (entry.path().extension() == ".py") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

// Returns the scripts that hold a single function outside a module.
std::vector<std::string> lone_functions() {
  std::vector<std::string> names = corpus();
  std::erase_if(names, [](const std::string& name) {
    return read_file(std::filesystem::path("tests/script") / (name + ".py")).find("ir_module") != std::string::npos;
  });
  return names;
}

class LoneFunction : public testing::TestWithParam<std::string> {};
class RoundTrip : public testing::TestWithParam<std::string> {};

TEST_P(RoundTrip, KeepsTheModuleAndTheText) {
  std::filesystem::path path = std::filesystem::path("tests/script") / (GetParam() + ".py");
  Module first = parse_module(Source::make(path.string(), read_file(path)), fake_ops());
  ASSERT_FALSE(first.functions().empty());
  for (bool show_types : {true, false}) {
    PrintOptions options{.show_types = show_types};
    PrintResult printed = print_with_constants(first, options);
    Module second = parse_module(Source::make("printed", printed.text), fake_ops(), {.constants = printed.constants});
    EXPECT_EQ(first_difference(first, second), "") << printed.text;
    EXPECT_EQ(print(second, options), printed.text);
  }
}

TEST_P(LoneFunction, PrintsAsAScriptOfItsOwn) {
  std::filesystem::path path = std::filesystem::path("tests/script") / (GetParam() + ".py");
  Module module = parse_module(Source::make(path.string(), read_file(path)), fake_ops());
  ASSERT_EQ(module.functions().size(), 1u);
  PrintResult printed = print_with_constants(module.functions()[0].func);
  Ref<BaseFunc> again =
      parse_function(Source::make("printed", printed.text), fake_ops(), {.constants = printed.constants});
  EXPECT_TRUE(structural_equal(Expr(module.functions()[0].func), Expr(again))) << printed.text;
  EXPECT_EQ(print_with_constants(again).text, printed.text);
}

INSTANTIATE_TEST_SUITE_P(Corpus, LoneFunction, testing::ValuesIn(lone_functions()),
                         [](const auto& p) { return p.param; });
INSTANTIATE_TEST_SUITE_P(Corpus, RoundTrip, testing::ValuesIn(corpus()), [](const auto& p) { return p.param; });

}  // namespace
}  // namespace sunmao
