#include "tests/random/engine_fault.h"

#include <optional>

#include "eval/element.h"
#include "eval/evaluator.h"
#include "ir/verify.h"
#include "passes/passes.h"
#include "script/print.h"
#include "support/diagnostic.h"
#include "tests/random/claims.h"
#include "tests/random/compiled_run.h"
#include "tests/random/engine_difference.h"
#include "tests/random/module_fault.h"

namespace sunmao {
namespace {

constexpr int64_t kShownElements = 48;

// The results of an engine on a case, or the error with which the engine rejects it.
struct Given {
  std::vector<Array> results = {};
  std::optional<Diagnostic> error = {};
  bool is_compile_error = false;

  std::string code() const { return error ? error->code : "no error"; }
  std::string text() const { return error ? render(*error) : "it computes"; }
};

Given evaluated(const EngineCase& c) {
  try {
    return {.results = arrays_of(Evaluator(c.module).call("main", {c.inputs.begin(), c.inputs.end()}))};
  } catch (const UserError& e) {
    return {.error = e.diagnostics().front()};
  }
}

Given ran(const EngineCase& c, const std::string& target, bool is_optimised, bool is_inlined) {
  bool is_compiling = true;
  try {
    const Module module = is_inlined ? inline_private_functions(c.module, {}) : c.module;
    const Compiled code = compile_for_run(module, is_optimised ? 3 : 0, target);
    is_compiling = false;
    return {.results = run_compiled(code, c.inputs)};
  } catch (const UserError& e) {
    return {.error = e.diagnostics().front(), .is_compile_error = is_compiling};
  }
}

EngineResult compared(uint64_t seed, const EngineCase& c, const std::string& target) {
  for (const Diagnostic& d : verify(c.module, Stage::Normal))
    return {Outcome::Fault, "it does not verify: " + render(d)};
  if (std::string fault = fault_of_text(c.module); !fault.empty()) return {Outcome::Fault, fault};
  const std::string& op = claims()[claim_of(seed)].op;
  // Compiles with optimisation for one seed in eight only, since code generation dominates the time.
  const Given code = ran(c, target, seed % 8 == 0, seed % 2 == 0);
  if (code.is_compile_error && may_not_compile(op, code.code())) return {Outcome::NotCompiled};
  const Given reference = evaluated(c);
  if (reference.code() != code.code() || reference.error.has_value() != code.error.has_value())
    return {Outcome::Fault, fmt::format("evaluated: {}\n{}: {}", reference.text(),
                                        code.is_compile_error ? "compiling" : "compiled", code.text())};
  if (reference.error) return {Outcome::Refused};
  std::string difference = first_difference(op, c.inputs, reference.results, code.results);
  return difference.empty() ? EngineResult{Outcome::Computed} : EngineResult{Outcome::Fault, std::move(difference)};
}

}  // namespace

EngineResult compare_engines(uint64_t seed, const EngineCase& drawn, const std::string& target) {
  try {
    return compared(seed, drawn, target);
  } catch (const std::exception& e) {
    return {Outcome::Fault, e.what()};
  }
}

std::string describe(const EngineCase& drawn) {
  std::string out = print(drawn.module);
  for (const Array& input : drawn.inputs) {
    out += fmt::format("{} of ({}):", input.dtype().str(), fmt::join(input.shape(), ", "));
    for (int64_t i = 0; i < std::min(input.count(), kShownElements); ++i) {
      const Number n = load_element(input, i);
      out += input.dtype().is_float() ? fmt::format(" {}", n.f) : fmt::format(" {}", n.i);
    }
    out += input.count() > kShownElements ? " ...\n" : "\n";
  }
  return out;
}

}  // namespace sunmao
