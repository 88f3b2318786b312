// Runs tests/passes/<pass>/<behaviour>.py: the module `Before` through the pass of the folder's name. A module
// `Expected` is what must come out; a line `# pass: name(key=value)` gives the pass arguments. Without `Expected`, the
// first line says what must happen instead: `# unchanged`, or `# error: E0503`.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "ir/equal.h"
#include "ir/verify.h"
#include "ops/ops.h"
#include "passes/pass_arguments.h"
#include "script/parse.h"
#include "script/print.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

namespace fs = std::filesystem;

struct Case {
  std::string pass, name, first_line;
  AttrMap arguments;
  std::vector<std::string> modules;  // the text of each, `Before` first
};

Case read_case(const fs::path& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  std::string all = text.str();
  Case c{path.parent_path().filename().string(), path.stem().string(), all.substr(0, all.find('\n')), {}, {}};
  std::ranges::replace(c.pass, '_', '-');
  const std::string line = "\n# pass: ";
  if (size_t at = all.find(line); at != std::string::npos) {
    at += line.size();
    c.arguments = parse_pass_calls(all.substr(at, all.find('\n', at) - at), path.string()).at(0).arguments;
  }
  const std::string mark = "@I.ir_module";
  for (size_t at = all.find(mark); at != std::string::npos;) {
    size_t next = all.find(mark, at + 1);
    c.modules.push_back(all.substr(at, next - at));
    at = next;
  }
  return c;
}

std::vector<Case> all_cases() {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::recursive_directory_iterator("tests/passes"))
    if (entry.path().extension() == ".py") paths.push_back(entry.path());
  std::ranges::sort(paths);
  std::vector<Case> cases;
  for (const fs::path& p : paths) cases.push_back(read_case(p));
  return cases;
}

Module parse(const std::string& text, const std::string& name) {
  return parse_module(Source::make(name, text), builtin_ops());
}

void check_pass(const Case& c, const Pass& pass, const Module& before) {
  uint64_t hash = computed_hash(before);
  PassContext context = with_arguments({}, pass, c.arguments);
  context.target = Target::parse("x86-64-v4");  // so that the width of panels does not depend on the machine
  Module after = pass.run(before, context);
  EXPECT_EQ(computed_hash(before), hash) << "the pass changed its input";
  EXPECT_TRUE(structural_equal(after, pass.run(before, context))) << "another result the second time";
  if (pass.is_idempotent) {
    Module again = pass.run(after, context);
    EXPECT_EQ(first_difference(after, again), "") << "not idempotent:\n" << print(again);
  }
  for (const Diagnostic& d : verify(after, Stage::Imported)) ADD_FAILURE() << render(d) << print(after);
  if (c.first_line == "# unchanged") {
    EXPECT_TRUE(after.same_as(before)) << "expected the same module, got\n" << print(after);
    return;
  }
  ASSERT_EQ(c.modules.size(), 2u) << "no module `Expected`";
  Module expected = parse(c.modules[1], c.name);
  EXPECT_EQ(first_difference(after, expected), "") << "got\n" << print(after) << "\nexpected\n" << print(expected);
}

TEST(ScriptCases, every_pass_does_what_its_cases_say) {
  std::vector<Case> cases = all_cases();
  ASSERT_GT(cases.size(), 10u);
  for (const Case& c : cases) {
    SCOPED_TRACE(c.pass + "/" + c.name);
    const Pass* pass = find_pass(c.pass);
    ASSERT_TRUE(pass) << "no pass " << c.pass;
    ASSERT_FALSE(c.modules.empty());
    const std::string error = "# error: ";
    try {
      Module before = parse(c.modules[0], c.name);
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
