// The reproducer that a crashing pass leaves: a script and the command that replays it.
#include "cli/reproducer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>

#include "compiler/read_model_file.h"
#include "ir/equal.h"
#include "ops/ops.h"
#include "passes/pass_arguments.h"
#include "script/parse.h"
#include "script/print.h"
#include "support/diagnostic.h"

namespace sunmao::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr const char* kScript = R"(
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        return )";

Module break_promise(const Module&, const PassContext&) {
  SUNMAO_CHECK(false, "a promise is broken");
  return {};
}
Module blame_user(const Module&, const PassContext&) { fail("E0514", {}, "the user is wrong"); }

/// Runs each test in an empty current folder, which is removed afterwards.
class Reproducer : public testing::Test {
 protected:
  void SetUp() override {
    before_ = fs::current_path();
    fs::create_directories(folder_);
    fs::current_path(folder_);
  }
  void TearDown() override {
    fs::current_path(before_);
    fs::remove_all(folder_);
  }
  static RunReport run(PassFn function) {
    const Pass pass{
        .name = "break-things", .summary = "", .compat_name = "", .run = function, .params = {{"size", "a number"}}};
    RunnerOptions options;
    watch_for_failures(options, "x86-64-v3");
    return run_passes(module(), {{&pass, Stage::Raw, {{"size", int64_t{3}}}}}, {}, options);
  }
  static Module module() { return module_of("x"); }
  static Module module_of(const std::string& result) {
    return parse_module(Source::make("m.py", kScript + result + "\n"), builtin_ops());
  }

 private:
  fs::path before_;
  const fs::path folder_ = fs::temp_directory_path() / fmt::format("sunmao-reproducer-{}", getpid());
};

TEST_F(Reproducer, stands_in_the_error) {
  std::string told;
  try {
    run(break_promise);
  } catch (const InternalError& e) {
    told = e.what();
  }
  EXPECT_THAT(told, HasSubstr("in pass break-things: "));
  EXPECT_THAT(told, HasSubstr("a promise is broken"));
  EXPECT_THAT(told, HasSubstr("sunmao opt sunmao-failure-break-things.py --passes 'break-things(size=3)' --target "
                              "x86-64-v3\n"));
  EXPECT_THAT(told, HasSubstr("make it small: sunmao reduce sunmao-failure-break-things.py -- sunmao opt {} --passes "
                              "'break-things(size=3)' --target x86-64-v3"));
  EXPECT_TRUE(structural_equal(read_model_file("sunmao-failure-break-things.py").module, module()));
}

TEST_F(Reproducer, is_turned_off_by_the_environment) {
  setenv(kReproducerVariable, "off", 1);
  EXPECT_THROW(run(break_promise), InternalError);
  unsetenv(kReproducerVariable);
  EXPECT_FALSE(fs::exists("sunmao-failure-break-things.py"));
}

#ifndef SUNMAO_SANITIZED  // a sanitizer reports signals itself
Module crash(const Module&, const PassContext&) {
  std::raise(SIGSEGV);
  return {};
}

TEST_F(Reproducer, is_left_by_a_signal) {
  EXPECT_EXIT(run(crash), testing::KilledBySignal(SIGSEGV), "in pass break-things: signal 11");
  EXPECT_TRUE(fs::exists("sunmao-failure-break-things.py"));
}
#endif

Module swap_op(const Module& m, const PassContext&) {
  std::string text = print(m);
  for (size_t at; (at = text.find("R.exp(")) != std::string::npos;) text.replace(at, 6, "R.sin(");
  return parse_module(Source::make("swapped.py", text), builtin_ops());
}

TEST_F(Reproducer, is_left_by_a_pass_that_changes_a_number) {
  const Pass pass{.name = "swap-ops", .summary = "", .run = swap_op};
  RunnerOptions options;
  options.validate_each = true;
  options.validation.seed = 5;
  watch_for_failures(options, "");
  try {
    run_passes(module_of("R.exp(x)"), {{&pass, Stage::Raw}}, {}, options);
    FAIL();
  } catch (const UserError& e) {
    EXPECT_EQ(e.diagnostics()[0].code, "E0541");
    ASSERT_EQ(e.diagnostics()[0].notes.size(), 1u);
    EXPECT_THAT(
        e.diagnostics()[0].notes[0],
        HasSubstr("sunmao opt sunmao-failure-swap-ops.py --passes 'swap-ops' --validate=each --validate-seed 5"));
  }
  EXPECT_TRUE(fs::exists("sunmao-failure-swap-ops.py"));
}

TEST_F(Reproducer, is_not_left_by_an_error_of_the_user) {
  EXPECT_THROW(run(blame_user), UserError);
  EXPECT_FALSE(fs::exists("sunmao-failure-break-things.py"));
}

TEST_F(Reproducer, says_what_cannot_be_written) {
  fs::create_directories("sunmao-failure-break-things.py/full");
  try {
    run(break_promise);
    FAIL();
  } catch (const InternalError& e) {
    EXPECT_THAT(e.what(), HasSubstr("could not be written"));
  }
}

TEST(PassText, reads_back) {
  const std::string text = "bind-params(func_name=\"main\", params={w: [1, 2.0, True], x: None, y: 'a \"b\"'})";
  const std::vector<PassCall> calls = parse_pass_calls(text, "test");
  EXPECT_EQ(to_text(calls[0]), text);
  EXPECT_EQ(to_text(parse_pass_calls("normalize", "test")[0]), "normalize");
  const std::string quoted = "bind-params(params={\"a b\": 1})";
  EXPECT_EQ(to_text(parse_pass_calls(quoted, "test")[0]), quoted);
}

TEST(PassText, leaves_out_what_has_no_text) {
  PassCall call{find_pass("bind-params"), {}};
  call.arguments["func_name"] = std::string("main");
  call.arguments["params"] = AttrMap{{"w", AttrList{int64_t{1}, std::string("'\"")}}};
  EXPECT_EQ(to_text(call), "bind-params(func_name=\"main\")");
}

}  // namespace
}  // namespace sunmao::cli
