#include "tests/random/module_fault.h"

#include <algorithm>
#include <cmath>

#include "eval/element.h"
#include "eval/evaluator.h"
#include "ir/equal.h"
#include "ir/verify.h"
#include "ops/ops.h"
#include "script/parse.h"
#include "script/print.h"
#include "support/diagnostic.h"
#include "tests/random/pass_runs.h"

namespace sunmao {
namespace {

double float_at(const Array& a, int64_t i) { return load_element(a.dtype(), a.data() + i * a.element_bytes()).f; }

bool same(double x, double y, double tolerance, Effect effect) {
  if (effect == Effect::Reorders && !(std::isfinite(x) && std::isfinite(y))) return true;
  if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);
  return x == y || std::abs(x - y) <= tolerance * std::max(1.0, std::abs(x));
}

bool same(const Array& a, const Array& b, Effect effect) {
  if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
  if (!a.dtype().is_float() || effect == Effect::Exact) return a == b;
  const double tolerance = a.dtype().bits == 64 ? 1e-9 : 1e-4;
  for (int64_t i = 0; i < a.count(); ++i)
    if (!same(float_at(a, i), float_at(b, i), tolerance, effect)) return false;
  return true;
}

bool same(const Value& a, const Value& b, Effect effect) {
  if (a.array() && b.array()) return same(*a.array(), *b.array(), effect);
  if (a.shape() && b.shape()) return *a.shape() == *b.shape();
  const auto *m = std::get_if<int64_t>(&a.v), *n = std::get_if<int64_t>(&b.v);
  if (m && n) return *m == *n;
  return a.tuple() && b.tuple() &&
         std::ranges::equal(*a.tuple(), *b.tuple(), [&](const Value& x, const Value& y) { return same(x, y, effect); });
}

std::string fault_of_run(const PassRun& run, const RandomModule& m, const Value& expected) {
  Module after = m.module;
  for (const PassCall& call : run.calls) {
    const Module before = after;
    const uint64_t hash = computed_hash(before);
    after = call.pass->run(before, with_arguments({}, *call.pass, call.arguments));
    if (computed_hash(before) != hash) return fmt::format("{} changes its input", call.pass->name);
    if (after.same_as(before)) continue;
    for (const Diagnostic& d : verify(after, Stage::Imported))
      return fmt::format("{} gives what does not verify: {}{}", call.pass->name, render(d), print(after));
  }
  if (after.same_as(m.module)) return {};
  Value got;
  try {
    got = results_of(after, run.asked, m);
  } catch (const UserError& e) {
    return fmt::format("what it gives cannot be run: {}\n{}", e.what(), print(after));
  }
  if (run.effect == Effect::Changes || same(expected, got, run.effect)) return {};
  return "computes something else:\n" + print(after);
}

std::string fault_of_printed(const Module& m, const PrintResult& text) {
  ParseOptions options;
  options.constants = text.constants;
  const Module read = parse_module(Source::make("random.py", text.text), builtin_ops(), options);
  const std::string difference = first_difference(m, read);
  return difference.empty() ? "" : "its text reads as something else: " + difference;
}

std::string fault_of(uint64_t seed, const RandomModule& m, const PrintResult& text) {
  for (const Diagnostic& d : verify(m.module, Stage::Normal)) return render(d);
  if (std::string fault = fault_of_printed(m.module, text); !fault.empty()) return fault;
  const Value expected = Evaluator(m.straight).call("main", m.straight_inputs);
  if (!same(expected, Evaluator(m.module).call("main", m.inputs), Effect::Exact))
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
