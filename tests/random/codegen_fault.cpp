#include "tests/random/codegen_fault.h"

#include "compiler/compile.h"
#include "eval/evaluator.h"
#include "ir/builder.h"
#include "ir/copy.h"
#include "passes/validation/result_precisions.h"
#include "script/print.h"
#include "support/diagnostic.h"
#include "tests/random/compiled_run.h"
#include "tests/random/constructs.h"
#include "tests/random/nudged_module.h"
#include "tests/random/pardons.h"
#include "tests/random/random_module.h"

namespace sunmao {
namespace {

// How a module is compiled.
struct CompiledForm {
  int opt_level;
  std::string target;
  bool binds_weights;
  bool is_straight;  // the module without branches and calls

  std::string text() const {
    return fmt::format("-O{} for {}, weights {}, {}", opt_level, target, binds_weights ? "bound" : "passed",
                       is_straight ? "straight" : "with structure");
  }
};

// Artifacts for x86-64-v4 run on machines that have it alone.
bool runs_wide() {
  static const bool runs = Target::parse("x86-64-v4").isa.runs_here();
  return runs;
}

// The two forms of a module differ in everything; which choices go together depends on the seed.
CompiledForm form_of(uint64_t seed, bool is_optimised, const std::string& target) {
  const auto chosen = [&](int bit) { return is_optimised != ((seed >> bit & 1) != 0); };
  return {.opt_level = is_optimised ? 3 : 0,
          .target = !target.empty()            ? target
                    : chosen(0) && runs_wide() ? "x86-64-v4"
                                               : "x86-64-v3",
          .binds_weights = chosen(1),
          .is_straight = chosen(2)};
}

// A module with its inputs and their results; both engines may have to run it several times.
struct Case {
  const Module& module;
  const std::vector<Value>& inputs;
  size_t run_inputs;
  std::vector<Array> expected;
  std::vector<DType> precisions;
  NudgedRuns nudged;

  /// `straight` computes of its values the same as the module of its own.
  Case(const Module& m, const std::vector<Value>& values, size_t count, const Module& straight,
       const std::vector<Value>& straight_values)
      : module(m), inputs(values), run_inputs(count), expected(evaluated(m, values)),
        precisions(precisions_of(*straight.find_as<Function>("main"))),
        nudged(straight_values, [&straight](const std::vector<Value>& moved, int number) {
          return evaluated(nudged_module(straight, number), moved);
        }) {}
  Case(const Case&) = delete;
  Case& operator=(const Case&) = delete;
  static std::vector<Array> evaluated(const Module& module, const std::vector<Value>& values) {
    return arrays_of(Evaluator(module).call("main", {values.begin(), values.end()}));
  }
};

// Compiles a case and runs it with one thread and with two.
Difference difference_of(const CompiledForm& form, Case& c) {
  CompileOptions options;
  options.opt_level = form.opt_level;
  options.targets = {Target::parse(form.target)};
  const auto& main = *c.module.find_as<Function>("main");
  Model model{c.module, {}};
  std::vector<Array> arrays;
  for (size_t i = 0; i < c.inputs.size(); ++i)
    if (i < c.run_inputs || !form.binds_weights)
      arrays.push_back(*c.inputs[i].array());
    else
      model.weights.emplace(main.params[i]->name, *c.inputs[i].array());
  if (!form.binds_weights) {
    AttrMap attrs = main.attrs.values();
    attrs.erase("num_input");
    model.module = c.module.with_function("main", main.with_attrs(Attrs(std::move(attrs))));
  }
  const Compiled compiled = compile(model, options);
  Difference out;
  for (uint32_t threads = 1; threads <= 2 && out.fault.empty(); ++threads) {
    Difference one = difference_of(c.expected, run_compiled(compiled, arrays, threads), c.precisions, c.nudged);
    one.pardons |= out.pardons;
    if (!one.fault.empty()) one.fault = fmt::format("with {} threads: {}", threads, one.fault);
    out = std::move(one);
  }
  return out;
}

constexpr unsigned bit_of(Omission o) { return 1U << static_cast<unsigned>(o); }

// Compiles and runs one form, and adds what it finds; returns a fault.
std::string run_form(const CompiledForm& form, Case& c, CodegenRun& run) try {
  const Difference difference = difference_of(form, c);
  run.pardons |= difference.pardons;
  return difference.fault;
} catch (const UserError& e) {
  const std::string& code = e.diagnostics()[0].code;
  const bool is_of_weights = form.binds_weights && code == "E0521";
  if (code != "E1020" && !is_of_weights) return e.what();
  run.omissions |= bit_of(is_of_weights ? Omission::NoArray : Omission::Bytecode);
  return "";
} catch (const std::exception& e) {
  return e.what();
}

// Returns a function that gives all tensors that a straight function computes on the way, with these in their order.
Ref<Function> giving_all(const Function& straight, std::vector<Binding>& given) {
  BlockBuilder b;
  b.begin_dataflow();
  FreshCopy copy;
  std::vector<Expr> results;
  for (const Ref<BindingBlock>& block : straight.body->blocks)
    for (const Binding& binding : block->bindings) {
      const Expr value = copy.copy(binding.value);
      const Expr var = binding.is_match_cast() ? b.match_cast(value, copy.copy(binding.cast_type)) : b.emit(value);
      copy.map(binding.var, var);
      if (!find<TensorType>(var->type)) continue;
      results.push_back(var);
      given.push_back(binding);
    }
  const Expr result = b.emit_output(Tuple::make(std::move(results)));
  b.end_dataflow();
  return b.finish_function(straight.params, result, straight.attrs);
}

// Names the first op of a straight module after which values differ in one of the forms; empty when none do, as when
// the fault needs a fused kernel.
std::string first_wrong_op(uint64_t seed, const std::string& target, const RandomModule& m, size_t run_inputs) try {
  std::vector<Binding> given;
  const Module all = m.straight.with_function("main", giving_all(*m.straight.find_as<Function>("main"), given));
  Case c(all, m.straight_inputs, run_inputs, all, m.straight_inputs);
  for (const bool is_optimised : {false, true}) {
    const Difference difference = difference_of(form_of(seed, is_optimised, target), c);
    if (difference.fault.empty()) continue;
    return fmt::format("{}: {} = {}", difference.fault, given.at(difference.result).var->name,
                       print(given.at(difference.result).value));
  }
  return "";
} catch (const std::exception&) {
  return "";
}

}  // namespace

CodegenRun run_codegen(uint64_t seed, const std::string& target) {
  const bool is_large = seed % 8 == 7;
  // Fused kernels do not round between ops, which shows in floats of few bits.
  const RandomModule m = random_module(seed, {.dtype = {DType::float_(seed % 5 == 4 ? 64 : 32)},
                                              .extent = is_large ? Extent::Large : Extent::Small,
                                              .computes_in_small_floats = false});
  CodegenRun run{.fault = "", .constructs = constructs_of(m.module), .is_large = is_large};
  const size_t conditions = m.inputs.size() - m.straight_inputs.size();
  std::string where;
  bool is_straight = false;
  const size_t straight_inputs = m.run_inputs - conditions;
  try {
    Case structured(m.module, m.inputs, m.run_inputs, m.straight, m.straight_inputs);
    Case straight(m.straight, m.straight_inputs, straight_inputs, m.straight, m.straight_inputs);
    for (const bool is_optimised : {false, true}) {
      if (!run.fault.empty()) break;
      const CompiledForm form = form_of(seed, is_optimised, target);
      run.fault = run_form(form, form.is_straight ? straight : structured, run);
      where = form.text();
      is_straight = form.is_straight;
    }
  } catch (const std::exception& e) {
    run.fault = e.what();
    where = "evaluated";
    is_straight = false;
  }
  if (!run.fault.empty())
    run.fault = fmt::format("{}\n{}\nfirst wrong: {}\nof\n{}", where, run.fault,
                            first_wrong_op(seed, target, m, straight_inputs),
                            print_with_constants(is_straight ? m.straight : m.module).text);
  return run;
}

}  // namespace sunmao
