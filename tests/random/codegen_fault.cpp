#include "tests/random/codegen_fault.h"

#include "compiler/compile.h"
#include "eval/evaluator.h"
#include "passes/validation/value_difference.h"
#include "script/print.h"
#include "support/diagnostic.h"
#include "tests/random/compiled_run.h"
#include "tests/random/constructs.h"
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

// Artifacts for x86-64-v4 run on machines that have it alone.
bool runs_wide() {
  static const bool runs = [] {
    const Target host = Target::host(), wide = Target::parse("x86-64-v4");
    return std::ranges::all_of(wide.features, [&](const std::string& feature) { return host.has(feature); });
  }();
  return runs;
}

Way way_of(uint64_t seed) {
  const auto bit = [&](int i) { return (seed >> i & 1) != 0; };
  return {.opt_level = bit(0) ? 3 : 0,
          .target = bit(1) && runs_wide() ? "x86-64-v4" : "x86-64-v3",
          .threads = bit(2) ? 2U : 1U,
          .binds_weights = bit(3) && bit(4),
          .is_straight = bit(4) && bit(5)};
}

// Shapes and integers become arrays, as which a run gives them.
void flatten(const Value& value, ValueTuple& out) {
  const auto* number = std::get_if<int64_t>(&value.v);
  if (const ShapeValue* shape = value.shape())
    out.emplace_back(Array::from_ints({std::ssize(*shape)}, *shape));
  else if (number)
    out.emplace_back(Array::from_ints({}, std::vector{*number}));
  else if (const ValueTuple* tuple = value.tuple())
    for (const Value& field : *tuple) flatten(field, out);
  else
    out.push_back(value);
}

ValueTuple flat(const Value& value) {
  ValueTuple out;
  flatten(value, out);
  return out;
}

constexpr int kNudges = 8;

// Returns the inputs with floats changed by about the rounding of a few operations.
ValueTuple nudged(const std::vector<Value>& inputs, int number) {
  ValueTuple out;
  for (const Value& input : inputs) {
    const Array* a = input.array();
    if (!a || a->dtype() != DType::float_(32)) {
      out.push_back(input);
      continue;
    }
    std::vector<float> values(a->as<float>().begin(), a->as<float>().end());
    for (size_t i = 0; i < values.size(); ++i)
      values[i] *= 1 + 1e-6F * static_cast<float>(static_cast<int>((i * 7 + static_cast<size_t>(number) * 5) % 11) - 5);
    out.emplace_back(Array::from_floats(a->shape(), values));
  }
  return out;
}

// True where results jump with changes as small as rounding, as those of floor do near integers, or where they follow
// from floats that are not finite.
bool is_at_step(const Module& module, const std::vector<Value>& inputs, const ValueTuple& expected) {
  if (!is_finite(Value(expected))) return true;
  for (int i = 0; i < kNudges; ++i) {
    const Value moved = Evaluator(module).call("main", nudged(inputs, i));
    if (find_difference(expected, flat(moved), Effect::Reorders)) return true;
  }
  return false;
}

std::string difference_of(const Way& way, const Module& module, const std::vector<Value>& inputs, size_t run_inputs) {
  CompileOptions options;
  options.opt_level = way.opt_level;
  options.targets = {Target::parse(way.target)};
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
  const Value got = run_compiled(compiled, arrays, way.threads);
  std::optional<std::string> difference = find_difference(flat(expected), flat(got), Effect::Reorders);
  if (difference && is_at_step(module, inputs, flat(expected))) return "";
  return difference.value_or("");
}

}  // namespace

CodegenRun run_codegen(uint64_t seed) {
  const RandomModule m = random_module(seed, {.dtype = DType::float_(seed % 5 == 4 ? 64 : 32)});
  const Way way = way_of(seed);
  const Module& module = way.is_straight ? m.straight : m.module;
  const std::vector<Value>& inputs = way.is_straight ? m.straight_inputs : m.inputs;
  const std::string text = print_with_constants(module).text;
  // Fused kernels do not round between ops, which shows in floats of so few bits.
  if (text.find("float8") != std::string::npos || text.find("float6") != std::string::npos ||
      text.find("float4") != std::string::npos)
    return {};
  CodegenRun run{.fault = "", .constructs = constructs_of(module)};
  try {
    const size_t conditions = m.inputs.size() - m.straight_inputs.size();
    run.fault = difference_of(way, module, inputs, m.run_inputs - (way.is_straight ? conditions : 0));
  } catch (const UserError& e) {
    // Work on weights whose result is no array stays out of artifacts.
    const bool is_left_out = way.binds_weights && e.diagnostics()[0].code == "E0521";
    run.is_refused = e.diagnostics()[0].code == "E1020";
    if (!is_left_out && !run.is_refused) run.fault = e.what();
  } catch (const std::exception& e) {
    run.fault = e.what();
  }
  if (!run.fault.empty()) run.fault = fmt::format("{}\n{}\nof\n{}", way.text(), run.fault, text);
  return run;
}

}  // namespace sunmao
