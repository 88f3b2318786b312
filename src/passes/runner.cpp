#include "passes/runner.h"

#include <chrono>

#include "ir/equal.h"
#include "passes/pass_arguments.h"
#include "support/diagnostic.h"
#include "support/spelling.h"

namespace sunmao {
namespace {

void check_names(const std::set<std::string>& names, const char* option) {
  std::vector<std::string> known{"all"};
  for (const Pass& p : all_passes()) known.emplace_back(p.name);
  for (const std::string& n : names)
    if (n != "all" && !find_pass(n))
      fail("E0511", {}, fmt::format("{}: there is no pass `{}`", option, n), did_you_mean(n, known));
}

// What --verify=each demands of one pass on this input.
void verify_pass(const Pass& pass, Stage stage, const Module& input, uint64_t hash_before, const Module& output,
                 const PassContext& ctx) {
  SUNMAO_CHECK(structural_hash(input) == hash_before, "pass {} changed its input", pass.name);
  std::string difference = first_difference(output, pass.run(input, ctx));
  SUNMAO_CHECK(difference.empty(), "pass {} gives another result the second time: {}", pass.name, difference);
  if (pass.is_idempotent) {
    difference = first_difference(output, pass.run(output, ctx));
    SUNMAO_CHECK(difference.empty(), "pass {} is not idempotent: {}", pass.name, difference);
  }
  std::vector<Diagnostic> found = verify(output, stage);
  SUNMAO_CHECK(found.empty(), "pass {} left an ill-formed module:\n{}", pass.name, render(found.front()));
}

}  // namespace

RunReport run_passes(const Module& module, const std::vector<PipelineStep>& steps, const PassContext& context,
                     const RunnerOptions& options) {
  check_names(options.disabled, "--disable");
  check_names(options.dump_after, "--dump-after");
  if (!options.stop_after.empty()) check_names({options.stop_after}, "--stop-after");
  RunReport report{module, {}};
  for (const PipelineStep& step : steps) {
    const Pass& pass = *step.pass;
    if (options.disabled.contains(pass.name)) continue;
    const PassContext pass_context = with_arguments(context, pass, step.arguments);
    Module input = report.module;
    uint64_t hash = options.verify_each ? structural_hash(input) : 0;
    auto begin = std::chrono::steady_clock::now();
    try {
      report.module = pass.run(input, pass_context);
      std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
      report.timings.push_back({pass.name, took.count(), !report.module.same_as(input)});
      if (options.verify_each) verify_pass(pass, step.stage, input, hash, report.module, pass_context);
    } catch (const InternalError& e) {
      throw InternalError(fmt::format("in pass {}: {}", pass.name, e.what()));
    }
    bool dump = options.dump_after.contains(pass.name) || options.dump_after.contains("all");
    if (dump && options.on_dump) options.on_dump(pass.name, report.module);
    if (options.stop_after == pass.name) {
      report.stopped = true;
      break;
    }
  }
  return report;
}

}  // namespace sunmao
