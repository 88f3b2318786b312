#include "passes/runner.h"

#include <algorithm>
#include <chrono>
#include <new>

#include "ir/equal.h"
#include "passes/facts.h"
#include "passes/pass_arguments.h"
#include "support/diagnostic.h"
#include "support/spelling.h"

namespace sunmao {
namespace {

using namespace std::string_literals;

void check_names(const std::set<std::string>& names, const char* option) {
  std::vector<std::string> known;
  for (const Pass& p : all_passes()) known.emplace_back(p.name);
  for (const std::string& n : names)
    if (!find_pass(n)) fail("E0511", {}, fmt::format("{}: there is no pass `{}`", option, n), did_you_mean(n, known));
}

void check_explained(const std::set<std::string>& names) {
  check_names(names, "--explain");
  std::string known;
  for (const Pass& p : all_passes())
    if (p.explains) known += (known.empty() ? "" : ", ") + std::string(p.name);
  for (const std::string& n : names)
    if (!find_pass(n)->explains)
      fail("E0511", {}, fmt::format("--explain: `{}` gives no reasons", n), "those that do: " + known);
}

// Returns the names of the passes that ensure a fact, as text.
std::string ensuring_passes(Fact fact) {
  std::string names;
  for (const Pass& p : all_passes())
    if (std::ranges::find(p.ensures, fact) != p.ensures.end())
      names += (names.empty() ? "`" : " or `") + (p.name + "`"s);
  return names;
}

void check_needs(const Pass& pass, const Module& input) {
  for (Fact fact : pass.needs) {
    const std::string breach = info_of(fact).find_breach(input);
    if (breach.empty()) continue;
    const std::string help = ensuring_passes(fact);
    fail("E0540", {}, fmt::format("{} needs that {}: {}", pass.name, info_of(fact).summary, breach),
         help.empty() ? "" : fmt::format("run {} before", help));
  }
}

void check_ensured(const Pass& pass, const Module& output) {
  for (Fact fact : pass.ensures) {
    const std::string breach = info_of(fact).find_breach(output);
    SUNMAO_CHECK(breach.empty(), "pass {} does not ensure `{}`: {}", pass.name, info_of(fact).name, breach);
  }
}

// Returns the stage that the step's result must have, for an input of stage `held`.
Stage stage_after(const PipelineStep& step, Stage held) {
  const std::optional<Stage> broken = step.pass->breaks;
  const Stage kept = broken && held >= *broken ? static_cast<Stage>(static_cast<int>(*broken) - 1) : held;
  return std::max(step.stage, kept);
}

// Performs the checks of --verify=each for one pass on one input.
void verify_pass(const Pass& pass, Stage stage, const Module& input, uint64_t hash_before, const Module& output,
                 const PassContext& ctx) {
  SUNMAO_CHECK(computed_hash(input) == hash_before, "pass {} changed its input", pass.name);
  if (!output.same_as(input)) check_needs(pass, input);
  std::string difference = first_difference(output, pass.run(input, ctx));
  SUNMAO_CHECK(difference.empty(), "pass {} gives another result the second time: {}", pass.name, difference);
  if (pass.is_idempotent()) {
    difference = first_difference(output, pass.run(output, ctx));
    SUNMAO_CHECK(difference.empty(), "pass {} is not idempotent: {}", pass.name, difference);
  }
  if (ctx.arguments.empty()) check_ensured(pass, output);
  std::vector<Diagnostic> found = verify(output, stage);
  SUNMAO_CHECK(found.empty(), "pass {} left a module that is not {}:\n{}", pass.name, name_of(stage),
               render(found.front()));
}

[[noreturn]] void fail_in_pass(const Pass& pass, const RunnerOptions& options, const char* what) {
  std::string more = options.on_failure ? "\n" + options.on_failure() : "";
  throw InternalError(fmt::format("in pass {}: {}{}", pass.name, what, more));
}

// Calls `call`, if set, on scope exit.
class AtEnd {
 public:
  explicit AtEnd(const std::function<void()>& call) : call_(call) {}
  AtEnd(const AtEnd&) = delete;
  AtEnd& operator=(const AtEnd&) = delete;
  ~AtEnd() {
    if (call_) call_();
  }

 private:
  const std::function<void()>& call_;
};

void validate_step(const PipelineStep& step, const Module& input, const Module& output, const RunnerOptions& options,
                   Validator& validator) {
  try {
    validator.check({step.pass, step.arguments}, input, output);
  } catch (const UserError& e) {
    Diagnostic d = e.diagnostics()[0];
    if (options.on_failure) d.notes.push_back(options.on_failure());
    fail(std::move(d));
  }
}

// State of a run: the highest stage that the current module satisfies, which is kept up to date under --verify=each
// only, and the validator.
struct Progress {
  explicit Progress(const ValidationOptions& validation) : validator(validation) {}
  Stage held = Stage::Raw;
  Validator validator;
};

void run_step(const PipelineStep& step, const PassContext& context, const RunnerOptions& options, Progress& progress,
              RunReport& report) {
  const Pass& pass = *step.pass;
  const PassContext silent = with_arguments(context, pass, step.arguments);
  PassContext pass_context = silent;
  pass_context.on_notice = options.on_notice;
  if (options.explain.contains(pass.name)) pass_context.on_explain = options.on_explain;
  const Module input = report.module;
  uint64_t hash = options.verify_each ? computed_hash(input) : 0;
  if (options.on_begin) options.on_begin(step, input);
  const AtEnd at_end(options.on_end);
  auto begin = std::chrono::steady_clock::now();
  try {
    report.module = pass.run(input, pass_context);
    std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    report.timings.push_back({pass.name, took.count(), !report.module.same_as(input)});
    if (options.verify_each) {
      verify_pass(pass, stage_after(step, progress.held), input, hash, report.module, silent);
      progress.held = find_stage(report.module).value_or(Stage::Raw);
    }
    if (options.validate_each) validate_step(step, input, report.module, options, progress.validator);
  } catch (const UserError&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& e) {
    fail_in_pass(pass, options, e.what());
  }
}

}  // namespace

RunReport run_passes(const Module& module, const std::vector<PipelineStep>& steps, const PassContext& context,
                     const RunnerOptions& options) {
  check_names(options.disabled, "--disable");
  if (options.dump_after != std::set<std::string>{"all"}) check_names(options.dump_after, "--dump-after");
  if (!options.stop_after.empty()) check_names({options.stop_after}, "--stop-after");
  check_explained(options.explain);
  RunReport report{module, {}};
  Progress progress(options.validation);
  if (options.verify_each) progress.held = find_stage(module).value_or(Stage::Raw);
  for (const PipelineStep& step : steps) {
    const Pass& pass = *step.pass;
    if (options.disabled.contains(pass.name)) continue;
    run_step(step, context, options, progress, report);
    bool dump = options.dump_after.contains(pass.name) || options.dump_after.contains("all");
    if (dump && options.on_dump) options.on_dump(pass.name, report.module);
    if (options.stop_after == pass.name) {
      report.stopped = true;
      break;
    }
  }
  if (options.validate_each && options.on_validated) options.on_validated(progress.validator);
  return report;
}

}  // namespace sunmao
