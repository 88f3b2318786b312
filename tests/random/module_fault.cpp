#include "tests/random/module_fault.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "eval/element.h"
#include "eval/evaluator.h"
#include "ir/equal.h"
#include "ir/verify.h"
#include "ops/ops.h"
#include "passes/pass.h"
#include "script/parse.h"
#include "script/print.h"
#include "support/diagnostic.h"
#include "tests/random/random_module.h"

namespace sunmao {
namespace {

// What a pass may do to the results of a module.
enum class Effect : uint8_t {
  Rounds,    // they are as near as rounding leaves them
  Reorders,  // by the laws of real numbers: what overflows may differ, too
  Changes,   // they mean something else on purpose
  Refuses,   // it does not take such a module
};

Effect effect_of(std::string_view pass) {
  static const std::map<std::string_view, Effect> kOthers{
      {"adjust-matmul-order", Effect::Reorders},
      {"fold-scale-axis", Effect::Reorders},
      {"expand-matmul-of-sum", Effect::Reorders},
      {"reorder-take-after-matmul", Effect::Reorders},
      {"to-mixed-precision", Effect::Changes},
      {"decompose-ops-for-inference", Effect::Changes},  // takes every batch norm for one of inference
      {"decompose-ops-for-training", Effect::Changes},
      {"lift-transform-params", Effect::Refuses},   // no function says which parameters are weights
      {"lazy-get-input", Effect::Refuses},          // it has other parameters then
      {"lazy-set-output", Effect::Refuses},         // and gives nothing back
      {"update-vdevice", Effect::Refuses},          // it asks for a device
      {"remove-purity-checking", Effect::Refuses},  // it has a dataflow block
  };
  auto found = kOthers.find(pass);
  return found == kOthers.end() ? Effect::Rounds : found->second;
}

double float_at(const Array& a, int64_t i) { return load_element(a.dtype(), a.data() + i * a.element_bytes()).f; }

bool same(double x, double y, double tolerance, Effect effect) {
  if (effect == Effect::Reorders && !(std::isfinite(x) && std::isfinite(y))) return true;
  if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);
  return x == y || std::abs(x - y) <= tolerance * std::max(1.0, std::abs(x));
}

bool same(const Array& a, const Array& b, Effect effect) {
  if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
  if (!a.dtype().is_float()) return a == b;
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

std::string fault_of_pass(const Pass& pass, const RandomModule& m, const Value& expected) {
  const Effect effect = effect_of(pass.name);
  if (effect == Effect::Refuses) return {};
  const uint64_t before = computed_hash(m.module);
  const Module after = pass.run(m.module, {});
  if (computed_hash(m.module) != before) return "changes its input";
  if (after.same_as(m.module)) return {};
  for (const Diagnostic& d : verify(after, Stage::Imported)) return render(d) + print(after);
  const Value got = Evaluator(after).call("main", m.inputs);
  return effect == Effect::Changes || same(expected, got, effect) ? "" : "computes something else:\n" + print(after);
}

std::string fault_of_printed(const Module& m, const PrintResult& text) {
  ParseOptions options;
  options.constants = text.constants;
  const Module read = parse_module(Source::make("random.py", text.text), builtin_ops(), options);
  const std::string difference = first_difference(m, read);
  return difference.empty() ? "" : "its text reads as something else: " + difference;
}

std::string fault_of(const RandomModule& m, const PrintResult& text) {
  for (const Diagnostic& d : verify(m.module, Stage::Normal)) return render(d);
  if (std::string fault = fault_of_printed(m.module, text); !fault.empty()) return fault;
  const Value expected = Evaluator(m.module).call("main", m.inputs);
  for (const Pass& pass : all_passes()) try {
      if (std::string fault = fault_of_pass(pass, m, expected); !fault.empty()) return pass.name + (": " + fault);
    } catch (const UserError& e) {
      return std::string(pass.name) + " fails: " + e.what();
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
    const std::string fault = fault_of(m, text);
    return fault.empty() ? fault : described(fault);
  } catch (const UserError& e) {
    return described(e.what());
  }
}

}  // namespace sunmao
