#include "tests/random/codegen_fault.h"

#include "compiler/compile.h"
#include "eval/evaluator.h"
#include "passes/validation/value_difference.h"
#include "script/print.h"
#include "support/diagnostic.h"
#include "tests/random/compiled_run.h"
#include "tests/random/random_module.h"

namespace sunmao {
namespace {

struct Way {
  int opt_level;
  const char* target;
  uint32_t threads;
  bool binds_weights;
  bool is_straight;  // the module without branches and calls

  std::string text() const {
    return fmt::format("-O{} for {} with {} threads, weights {}, {}", opt_level, target, threads,
                       binds_weights ? "bound" : "passed", is_straight ? "straight" : "with structure");
  }
};

Way way_of(uint64_t seed) {
  const auto bit = [&](int i) { return (seed >> i & 1) != 0; };
  return {.opt_level = bit(0) ? 3 : 0,
          .target = bit(1) ? "x86-64-v4" : "x86-64-v3",
          .threads = bit(2) ? 2U : 1U,
          .binds_weights = bit(3) && bit(4),
          .is_straight = bit(4)};
}

void flatten(const Value& value, ValueTuple& out) {
  if (const ValueTuple* tuple = value.tuple())
    for (const Value& field : *tuple) flatten(field, out);
  else
    out.push_back(value);
}

ValueTuple flat(const Value& value) {
  ValueTuple out;
  flatten(value, out);
  return out;
}

std::string difference_of(const Way& way, const Module& module, const std::vector<Value>& inputs, size_t run_inputs) {
  CompileOptions options;
  options.opt_level = way.opt_level;
  options.targets = {Target::parse(way.target)};
  options.allow_walk = true;
  const Value expected = Evaluator(module).call("main", inputs);
  const auto& main = *module.find_as<Function>("main");
  Model model{module, {}};
  std::vector<Array> arrays;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (i < run_inputs || !way.binds_weights)
      arrays.push_back(*inputs[i].array());
    else
      model.weights.emplace(main.params[i]->name, *inputs[i].array());
  if (!way.binds_weights) {
    AttrMap attrs = main.attrs.values();
    attrs.erase("num_input");
    model.module = module.with_function("main", main.with_attrs(Attrs(std::move(attrs))));
  }
  const Compiled compiled = compile(model, options);
  if (way.binds_weights && !compiled.walked.empty()) return {};  // the executor would want the weights as arguments
  const Value got = run_compiled(compiled, arrays, way.threads);
  return find_difference(flat(expected), flat(got), Effect::Reorders).value_or("");
}

}  // namespace

std::string find_codegen_fault(uint64_t seed) {
  const RandomModule m = random_module(seed, {.dtype = DType::float_(seed % 5 == 4 ? 64 : 32)});
  const Way way = way_of(seed);
  const Module& module = way.is_straight ? m.straight : m.module;
  const std::vector<Value>& inputs = way.is_straight ? m.straight_inputs : m.inputs;
  const std::string text = print_with_constants(module).text;
  // Fused kernels do not round between ops, which shows in floats of so few bits.
  if (text.find("float8") != std::string::npos || text.find("float6") != std::string::npos ||
      text.find("float4") != std::string::npos)
    return {};
  std::string fault;
  try {
    const size_t conditions = m.inputs.size() - m.straight_inputs.size();
    fault = difference_of(way, module, inputs, m.run_inputs - (way.is_straight ? conditions : 0));
  } catch (const UserError& e) {
    // Work on weights whose result is no array stays out of artifacts.
    const bool is_refused = way.binds_weights && e.diagnostics()[0].code == "E0521";
    if (!is_refused) fault = e.what();
  } catch (const std::exception& e) {
    fault = e.what();
  }
  return fault.empty() ? fault : fmt::format("{}\n{}\nof\n{}", way.text(), fault, text);
}

}  // namespace sunmao
