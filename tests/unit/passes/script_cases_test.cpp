// Runs tests/passes/<pass>/<behaviour>.py, each as one test: applies the pass named by the folder to the module
// `Before`. The result must equal the module `Expected`; a line `# pass: name(key=value)` gives arguments. Without
// `Expected` the first line states the expected outcome: `# unchanged`, or `# error` with the errors (see
// script_case.cpp).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "ir/equal.h"
#include "ir/verify.h"
#include "passes/pass_arguments.h"
#include "script/print.h"
#include "support/diagnostic.h"
#include "tests/unit/passes/script_case.h"

namespace sunmao {
namespace {

void check_pass(const ScriptCase& c, const Pass& pass, const Module& before) {
  uint64_t hash = computed_hash(before);
  PassContext context = with_arguments({}, pass, c.arguments);
  context.target = Target::parse("x86-64-v4");  // so that the width of panels does not depend on the machine
  Module after = pass.run(before, context);
  EXPECT_EQ(computed_hash(before), hash) << "the pass changed its input";
  EXPECT_TRUE(structural_equal(after, pass.run(before, context))) << "another result the second time";
  if (pass.is_idempotent()) {
    Module again = pass.run(after, context);
    EXPECT_EQ(first_difference(after, again), "") << "not idempotent:\n" << print(again);
  }
  for (const Diagnostic& d : verify(after, Stage::Imported)) ADD_FAILURE() << render(d) << print(after);
  if (c.first_line == "# unchanged") {
    EXPECT_TRUE(after.same_as(before)) << "expected the same module, got\n" << print(after);
    return;
  }
  ASSERT_EQ(c.modules.size(), 2u) << "no module `Expected`";
  Module expected = c.module(1);
  EXPECT_EQ(first_difference(after, expected), "") << "got\n" << print(after) << "\nexpected\n" << print(expected);
}

std::string described(const ExpectedError& e) {
  return fmt::format("{}# {}{}: {}", e.line ? fmt::format("line {}: ", e.line) : "", e.line ? "" : "error: ", e.code,
                     e.words);
}

void expect_errors(const ScriptCase& c, const std::vector<Diagnostic>& got) {
  std::string listed;
  for (const Diagnostic& d : got) listed += described({d.code, d.message, d.span ? d.span->line : 0}) + "\n";
  ASSERT_EQ(c.errors.size(), got.size()) << listed;
  for (size_t i = 0; i < got.size(); ++i) {
    const ExpectedError& e = c.errors[i];
    EXPECT_TRUE(e.code == got[i].code && got[i].message.find(e.words) != std::string::npos &&
                e.line == (got[i].span ? got[i].span->line : 0))
        << "expected\n"
        << described(e) << "\ngot\n"
        << listed;
  }
}

class ScriptCases : public testing::TestWithParam<ScriptCase> {};

TEST_P(ScriptCases, does_what_it_says) {
  const ScriptCase& c = GetParam();
  const Pass* pass = find_pass(c.pass);
  ASSERT_TRUE(pass) << "no pass " << c.pass;
  ASSERT_FALSE(c.modules.empty());
  const Module before = c.module(0);
  if (!c.first_line.starts_with("# error")) {
    check_pass(c, *pass, before);
    return;
  }
  try {
    pass->run(before, with_arguments({}, *pass, c.arguments));
    ADD_FAILURE() << "no error";
  } catch (const UserError& e) {
    expect_errors(c, e.diagnostics());
  }
}

// The name of a case's test: its pass and its behaviour.
std::string test_name(const testing::TestParamInfo<ScriptCase>& info) {
  std::string name = info.param.pass + "__" + info.param.name;
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Passes, ScriptCases, testing::ValuesIn(all_script_cases()), test_name);

}  // namespace
}  // namespace sunmao
