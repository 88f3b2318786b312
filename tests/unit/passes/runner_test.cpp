// --verify=each holds each pass to the strongest stage that its input satisfies.
#include "passes/runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/walk.h"
#include "ops/ops.h"
#include "script/parse.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

using testing::AllOf;
using testing::HasSubstr;

Module one_binding(const char* binding) {
  const std::string text = fmt::format(R"(
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        y = {}
        return y
)",
                                       binding);
  return parse_module(Source::make("m.py", text), builtin_ops());
}

// Binds exp of each function's result to a new variable, which becomes the result; with `is_nested` the value is
// exp(exp(result)), a nested call that violates normal form.
Module with_exp(const Module& m, bool is_nested) {
  return map_functions(m, [&](const Ref<Function>& f) {
    auto exp = [](const Expr& e) { return Call::make(builtin_ops().get("exp"), {e}); };
    const Expr inner = exp(f->body->body), value = is_nested ? exp(inner) : inner;
    const Ref<Var> out = Var::make("out", value->type);
    std::vector<Ref<BindingBlock>> blocks = f->body->blocks;
    blocks.push_back(BindingBlock::make({{out, value, nullptr, {}}}));
    return f->with_body(SeqExpr::make(std::move(blocks), out));
  });
}
Module write_op(const Module& m, const PassContext&) { return with_exp(m, false); }
Module write_nested(const Module& m, const PassContext&) { return with_exp(m, true); }

Pass pass_of(const char* name, PassFn run) {
  return {.name = name, .summary = "", .run = run, .second_run = "it writes another op"};
}

// Returns the runner's error for a sequence of passes; empty when there is none.
std::string told(const Module& m, const std::vector<const Pass*>& passes) {
  std::vector<PipelineStep> steps;
  for (const Pass* pass : passes) steps.push_back({pass, Stage::Raw});
  RunnerOptions options;
  options.verify_each = true;
  try {
    run_passes(m, steps, {}, options);
  } catch (const InternalError& e) {
    return e.what();
  }
  return {};
}

TEST(VerifyEach, names_the_pass_that_breaks_the_stage_of_the_input) {
  const Pass nests = pass_of("nest-things", write_nested);
  EXPECT_THAT(told(one_binding("R.add(x, x)"), {&nests}),
              AllOf(HasSubstr("pass nest-things left a module that is not normal"), HasSubstr("E0406"),
                    HasSubstr("an operand is itself")));
}

TEST(VerifyEach, demands_no_more_than_the_input_has) {
  const Pass nests = pass_of("nest-things", write_nested);
  EXPECT_EQ(told(one_binding("R.add(R.exp(x), x)"), {&nests}), "");
}

TEST(VerifyEach, holds_a_pass_to_what_those_before_it_reached) {
  const Pass writes = pass_of("write-ops", write_op), nests = pass_of("nest-things", write_nested);
  const Module m = one_binding("R.add(R.exp(x), x)");
  EXPECT_EQ(told(m, {&writes}), "");
  EXPECT_EQ(told(m, {find_pass("normalize"), &writes}), "");
  EXPECT_THAT(told(m, {find_pass("normalize"), &nests}),
              HasSubstr("pass nest-things left a module that is not normal"));
  EXPECT_THAT(
      told(m, {find_pass("normalize"), find_pass("legalize-ops"), &writes}),
      AllOf(HasSubstr("pass write-ops left a module that is not vm-ready"), HasSubstr("E0411"), HasSubstr("`exp`")));
}

TEST(VerifyEach, lets_a_pass_break_the_stage_that_it_says) {
  Pass writes = pass_of("write-ops", write_op), nests = pass_of("nest-things", write_nested);
  writes.breaks = nests.breaks = Stage::Legal;
  const Module m = one_binding("R.add(x, x)");
  const Pass* legalize = find_pass("legalize-ops");
  EXPECT_EQ(told(m, {legalize, &writes}), "");
  EXPECT_THAT(told(m, {legalize, &nests}), HasSubstr("not normal"));
  EXPECT_THAT(told(m, {legalize, &writes, &nests}), HasSubstr("not normal"));
}

}  // namespace
}  // namespace sunmao
