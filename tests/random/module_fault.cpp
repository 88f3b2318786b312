#include "tests/random/module_fault.h"

#include "eval/evaluator.h"
#include "ir/equal.h"
#include "ir/verify.h"
#include "ops/ops.h"
#include "passes/validation/caller.h"
#include "passes/validation/lane_loops.h"
#include "passes/validation/result_precisions.h"
#include "passes/validation/value_difference.h"
#include "script/parse.h"
#include "script/print.h"
#include "support/diagnostic.h"
#include "tests/random/pass_runs.h"

namespace sunmao {
namespace {

std::string fault_of_printed(const Module& m, const PrintResult& text) {
  ParseOptions options;
  options.constants = text.constants;
  const Module read = parse_module(Source::make("random.py", text.text), builtin_ops(), options);
  const std::string difference = first_difference(m, read);
  return difference.empty() ? "" : "its text reads as something else: " + difference;
}

std::string fault_of_run(const PassRun& run, const RandomModule& m, const Value& expected) {
  Module after = m.module;
  Caller caller("main", m.module);
  for (const PassCall& call : run.calls) {
    const Module before = after;
    const uint64_t hash = computed_hash(before);
    after = call.pass->run(before, with_arguments({}, *call.pass, call.arguments));
    if (computed_hash(before) != hash) return fmt::format("{} changes its input", call.pass->name);
    if (after.same_as(before)) continue;
    caller.follow(call, before, after);
    for (const Diagnostic& d : verify(after, Stage::Imported))
      return fmt::format("{} gives what does not verify: {}{}", call.pass->name, render(d), print(after));
  }
  if (after.same_as(m.module)) return {};
  if (std::string fault = fault_of_printed(after, print_with_constants(after)); !fault.empty()) return fault;
  Value got;
  try {
    const auto weights = m.inputs.begin() + static_cast<std::ptrdiff_t>(m.run_inputs);
    got = caller.results(evaluable_forms(after), {{m.inputs.begin(), weights}, {weights, m.inputs.end()}});
  } catch (const UserError& e) {
    return fmt::format("what it gives cannot be run: {}\n{}", e.what(), print(after));
  }
  const std::vector<DType> precisions = precisions_of(*m.straight.find_as<Function>("main"));
  const std::optional<std::string> difference = find_difference(expected, got, run.effect(), precisions);
  return difference ? fmt::format("computes something else, {}:\n{}", *difference, print(after)) : "";
}

std::string fault_of(uint64_t seed, const RandomModule& m, const PrintResult& text) {
  for (const Diagnostic& d : verify(m.module, Stage::Normal)) return render(d);
  if (std::string fault = fault_of_printed(m.module, text); !fault.empty()) return fault;
  const Value expected = Evaluator(m.straight).call("main", m.straight_inputs);
  if (find_difference(expected, Evaluator(m.module).call("main", m.inputs), Effect::Exact))
    return "it computes something else than its straight line:\n" + print(m.straight);
  for (const PassRun& run : pass_runs(m, seed)) try {
      if (std::string fault = fault_of_run(run, m, expected); !fault.empty()) return run.text() + ": " + fault;
    } catch (const UserError& e) {
      return run.text() + " fails: " + e.what();
    }
  return {};
}

}  // namespace

std::string fault_of_text(const Module& module) { return fault_of_printed(module, print_with_constants(module)); }

std::string find_fault(uint64_t seed) {
  const RandomModule m = random_module(seed);
  const PrintResult text = print_with_constants(m.module);
  auto described = [&](const std::string& fault) { return fault + "\nof\n" + text.text; };
  try {
    const std::string fault = fault_of(seed, m, text);
    return fault.empty() ? fault : described(fault);
  } catch (const UserError& e) {
    return described(e.what());
  }
}

}  // namespace sunmao
