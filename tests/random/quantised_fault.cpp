#include "tests/random/quantised_fault.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compiler/compile.h"
#include "eval/element.h"
#include "eval/evaluator.h"
#include "script/print.h"
#include "support/diagnostic.h"
#include "tests/random/compiled_run.h"
#include "tests/random/quantised_graph.h"

namespace sunmao {
namespace {

constexpr const char* kPass = "compute-in-integers";
constexpr double kFewestSteps = 8, kSmallNumber = 1e-6;  // magnitudes below which errors are absolute

/// How far a number that is computed in float32 may be from the real one, as a share of the largest of its tensor.
double share_of(Accuracy accuracy) {
  switch (accuracy) {
    case Accuracy::Exact: return 0;
    case Accuracy::Close: return std::ldexp(1, -18);
    case Accuracy::Loose: break;
  }
  return std::ldexp(1, -13);
}

/// How a graph is compiled and run.
struct RunForm {
  std::string target;
  int opt_level;
  bool gives_all;  // all steps are results, which shows where it errs; otherwise they may be fused
  uint32_t threads;

  std::string text() const {
    return fmt::format("-O{} for {}, {}, {} threads", opt_level, target,
                       gives_all ? "each step a result" : "results alone", threads);
  }
};

Model model_of(const QuantisedGraph& g, const Module& module) {
  Model model{module, {}};
  const auto& main = *module.find_as<Function>("main");
  for (size_t i = 0; i < g.weights.size(); ++i)
    model.weights.emplace(main.params[g.inputs.size() + i]->name, g.weights[i]);
  return model;
}

Compiled compiled(const QuantisedGraph& g, const RunForm& form, QuantisedRun* run = nullptr) {
  CompileOptions options;
  options.targets = {Target::parse(form.target)};
  options.opt_level = form.opt_level;
  if (run) {
    options.runner.explain = {kPass};
    options.runner.on_explain = [run](const std::string& line) {
      ++(line.ends_with("in integers") ? run->in_integers : run->in_float32);
    };
  }
  return compile(model_of(g, form.gives_all ? g.every : g.results), options);
}

double number_of(const std::vector<Array>& values, int step, double known) {
  return step < 0 ? known : number_at(values[static_cast<size_t>(step)], 0);
}

/// Compares numbers with real ones, of which the largest is `most`.
std::string numbers_fault(const QuantisedStep& s, const Array& got, const Array& real, double most) {
  const double off = share_of(s.accuracy) * std::max(most, kSmallNumber);
  for (int64_t i = 0; i < real.count(); ++i) {
    const double is = number_at(got, i), wanted = number_at(real, i);
    const bool are_nan = std::isnan(is) && std::isnan(wanted);
    if (!are_nan && !(std::abs(is - wanted) <= off))
      return fmt::format("element {} is {}, the real number is {} and may be off by {}", i, is, wanted, off);
  }
  return "";
}

/// Compares bytes with the nearest to real numbers, halves to even. Another one is right where the number may be on its
/// side of a half.
std::string bytes_fault(const QuantisedStep& s, const Array& got, const Array& real, double most, double scale,
                        double zero, QuantisedRun& run) {
  const double off = share_of(s.accuracy) * std::max(most / scale, kFewestSteps);
  const auto byte = [&](double steps) {
    return std::clamp(std::nearbyint(steps) + zero, static_cast<double>(s.low), static_cast<double>(s.high));
  };
  for (int64_t i = 0; i < real.count(); ++i) {
    const double is = number_at(got, i), steps = number_at(real, i) / scale;
    ++run.bytes;
    if (is == byte(steps)) continue;
    ++run.off_by_one;
    if (is < byte(steps - off) || is > byte(steps + off))
      return fmt::format("element {} is {}, not {}: it is {:.9g} steps from {}, which may be off by {:.2g}", i, is,
                         byte(steps), steps, zero, off);
  }
  return "";
}

/// Compares each step with real arithmetic on the steps before it.
std::string steps_fault(const QuantisedGraph& g, const std::vector<Array>& got, QuantisedRun& run) {
  std::vector<Value> args(g.inputs.begin(), g.inputs.end());
  for (size_t i : g.fed) args.emplace_back(got[i]);
  const std::vector<Array> real = arrays_of(Evaluator(g.reference).call("main", args));
  for (size_t i = 0; i < g.steps.size(); ++i) {
    const QuantisedStep& s = g.steps[i];
    std::string fault;
    double most = 0;
    for (int64_t k = 0; k < real[i].count(); ++k) most = std::max(most, std::abs(number_at(real[i], k)));
    if (got[i].shape() != real[i].shape())
      fault =
          fmt::format("the shape is ({}), not ({})", fmt::join(got[i].shape(), ", "), fmt::join(real[i].shape(), ", "));
    else if (s.is_rounded)
      fault = bytes_fault(s, got[i], real[i], most, number_of(got, s.scale_step, s.scale),
                          number_of(got, s.zero_step, static_cast<double>(s.zero)), run);
    else
      fault = numbers_fault(s, got[i], real[i], most);
    if (!fault.empty()) return fmt::format("step {} ({}): {}", i, s.text, fault);
  }
  return "";
}

/// Says whether the evaluator finds the fault behind the pass: then it is the pass's, and none of what follows.
std::string origin_of(const QuantisedGraph& g) try {
  CompileOptions options;
  options.runner.stop_after = kPass;
  options.bind_weights = false;
  const Module behind = run_pipeline(model_of(g, g.every), options).module;
  std::vector<Value> args(g.inputs.begin(), g.inputs.end());
  args.insert(args.end(), g.weights.begin(), g.weights.end());
  QuantisedRun run;
  const std::string fault = steps_fault(g, arrays_of(Evaluator(behind).call("main", args)), run);
  return fault.empty() ? fmt::format("the evaluator finds none behind {}", kPass)
                       : fmt::format("evaluated behind {}: {}", kPass, fault);
} catch (const std::exception& e) {
  return fmt::format("not evaluated behind {}: {}", kPass, e.what());
}

std::string bits_difference(const std::vector<Array>& a, const std::vector<Array>& b) {
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    if (a[i].shape() != b[i].shape()) return fmt::format("result {} has another shape", i);
    for (int64_t k = 0; k < a[i].count(); ++k)
      if (number_at(a[i], k) != number_at(b[i], k))
        return fmt::format("element {} of result {} is {}, not {}", k, i, number_at(b[i], k), number_at(a[i], k));
  }
  return "";
}

/// Targets take turns. Where the widest one does not run, each eighth graph is compiled for it alone.
std::string graph_fault(const QuantisedGraph& g, uint64_t seed, QuantisedRun& run) {
  static const bool runs_wide = Target::parse("x86-64-v4").isa.runs_here();
  std::vector<std::string> targets{"x86-64-v2", "x86-64-v3"};
  if (runs_wide) targets.emplace_back("x86-64-v4");
  if (Target::host().isa.has(Instruction::DotBytes)) targets.emplace_back("host");
  const RunForm first{targets[seed % targets.size()], seed % 7 == 6 ? 0 : 3, true, 1};
  const RunForm second{targets[(seed + 1) % targets.size()], 3, false, seed % 3 == 0 ? 3U : 2U};
  std::string where = first.text();
  try {
    const std::vector<Array> every = run_compiled(compiled(g, first, &run), g.inputs, first.threads);
    std::string fault = steps_fault(g, every, run);
    if (!fault.empty()) return fmt::format("{}: {}; {}", where, fault, origin_of(g));
    where = second.text();
    const std::vector<Array> results = run_compiled(compiled(g, second), g.inputs, second.threads);
    std::vector<Array> wanted;
    for (size_t i : g.result_steps) wanted.push_back(every[i]);
    fault = bits_difference(wanted, results);
    run.differs_by_target = !fault.empty();
    if (run.differs_by_target && run.in_float32 == 0 && !g.has_sums_of_floats)
      return fmt::format("{}: bits differ from those of {}: {}", where, first.text(), fault);
    if (runs_wide || seed % 8 != 0) return "";
    const RunForm wide{"x86-64-v4", 3, false, 1};
    where = wide.text();
    (void)compiled(g, wide);
    return "";
  } catch (const std::exception& e) {
    return fmt::format("{}: {}", where, e.what());
  }
}

}  // namespace

std::string quantised_fault(uint64_t seed, QuantisedRun& run) {
  std::string fault;
  try {
    const QuantisedGraph g = quantised_graph(seed);
    run.is_symbolic = g.is_symbolic;
    run.style = static_cast<uint64_t>(std::ranges::find(kQuantiserStyles, g.style) - kQuantiserStyles.begin());
    fault = graph_fault(g, seed, run);
  } catch (const std::exception& e) {
    fault = fmt::format("it is not drawn: {}", e.what());
  }
  run.is_fault = !fault.empty();
  return fault;
}

std::string quantised_text(uint64_t seed) {
  const QuantisedGraph g = quantised_graph(seed);
  return fmt::format("# {}\n{}\n# Each step in float64, from the steps before it:\n{}", g.style,
                     print_with_constants(g.every).text, print(g.reference));
}

}  // namespace sunmao
