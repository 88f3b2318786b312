// Runs tests/passes/<pass>/<behaviour>.py: applies the pass named by the folder to the module `Before`. The result must
// equal the module `Expected`; a line `# pass: name(key=value)` gives arguments. Without `Expected` the first line
// states the expected outcome: `# unchanged`, or `# error: E0503`.
#include <gtest/gtest.h>

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

TEST(ScriptCases, every_pass_does_what_its_cases_say) {
  const std::vector<ScriptCase> cases = all_script_cases();
  ASSERT_GT(cases.size(), 10u);
  for (const ScriptCase& c : cases) {
    SCOPED_TRACE(c.pass + "/" + c.name);
    const Pass* pass = find_pass(c.pass);
    ASSERT_TRUE(pass) << "no pass " << c.pass;
    ASSERT_FALSE(c.modules.empty());
    const std::string error = "# error: ";
    try {
      Module before = c.module(0);
      if (c.first_line.starts_with(error)) {
        pass->run(before, with_arguments({}, *pass, c.arguments));
        ADD_FAILURE() << "no error";
      } else {
        check_pass(c, *pass, before);
      }
    } catch (const UserError& e) {
      if (c.first_line.starts_with(error))
        EXPECT_EQ(e.diagnostics()[0].code, c.first_line.substr(error.size()));
      else
        ADD_FAILURE() << e.what();
    }
  }
}

}  // namespace
}  // namespace sunmao
