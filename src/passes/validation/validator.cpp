#include "passes/validation/validator.h"

#include <algorithm>

#include "passes/passes.h"
#include "passes/validation/generated_values.h"
#include "passes/validation/lane_loops.h"
#include "passes/validation/result_precisions.h"
#include "passes/validation/value_difference.h"
#include "passes/weights/parameter_stages.h"
#include "support/diagnostic.h"

namespace sunmao {

/// The state of one validated function: how it is called, with which values, and the result before the next pass.
struct Validator::Watched {
  Caller caller;
  Caller::Signature signature;
  std::map<std::string, Interval> ranges;  // of its symbols; a bound symbol has a range of one value
  CallerValues values = {};
  Value expected = {};
  bool runs = false;
};

namespace {

// Returns a module that the evaluator runs: in normal form, with scheduled kernels where there are such.
Module runnable(const Module& module) { return normalize(evaluable_forms(module), {}); }

// Returns the sizes of those symbols in the parameters of `old` that are constants in the parameters of `now`.
std::map<std::string, Interval> sizes_stated_by(const Function& old, const Function& now) {
  std::map<std::string, Interval> out;
  auto note = [&](const Scalar& before, const Scalar& after) {
    const auto* symbol = find<SymVar>(before);
    const int64_t* size = find_int(after);
    if (symbol && size) out.insert_or_assign(symbol->name, Interval{*size, *size});
  };
  for (const Ref<Var>& p : old.params)
    for (const Ref<Var>& q : now.params) {
      if (p->name != q->name) continue;
      const auto *a = find<TensorType>(p->type), *b = find<TensorType>(q->type);
      const auto *m = find<ShapeType>(p->type), *n = find<ShapeType>(q->type);
      const auto* from = a ? a->dims() : m && m->values ? &*m->values : nullptr;
      const auto* to = b ? b->dims() : n && n->values ? &*n->values : nullptr;
      for (size_t i = 0; from && to && i < std::min(from->size(), to->size()); ++i) note((*from)[i], (*to)[i]);
    }
  return out;
}

std::string reason_of(const UserError& e) {
  const Diagnostic& d = e.diagnostics()[0];
  return fmt::format("{}: {}", d.code, d.message);
}

}  // namespace

Validator::Validator(ValidationOptions options) : options_(std::move(options)) {}
Validator::~Validator() = default;

void Validator::watch(const std::string& symbol, const Module& module) {
  if (watched_.contains(symbol) || not_validated_.contains(symbol)) return;
  try {
    auto w = std::make_unique<Watched>(Watched{.caller = Caller(symbol, module),
                                               .signature = Caller::signature_of(symbol, module),
                                               .ranges = stated_ranges(*find_by_symbol(symbol, module))});
    w->caller.is_cancelled = options_.is_cancelled;
    find_inputs(*watched_.emplace(symbol, std::move(w)).first->second, module);
  } catch (const UserError& e) {
    not_validated_.emplace(symbol, reason_of(e));
  }
}

// Keeps the first generated inputs on which the results are finite; if there are none, the first inputs that the
// function accepts.
void Validator::find_inputs(Watched& w, const Module& module) {
  w.runs = false;
  const Module runs = runnable(module);
  std::string reason;
  for (int attempt = 0; attempt < kGeneratedAttempts; ++attempt) try {
      CallerValues values = generated_values(
          w.signature, {.seed = options_.seed, .attempt = attempt, .ranges = w.ranges, .known = options_.weights});
      Value result = w.caller.results(runs, values);
      const bool is_good = is_finite(result);
      if (is_good || !w.runs) {
        w.values = std::move(values);
        w.expected = std::move(result);
        w.runs = true;
      }
      if (is_good) break;
    } catch (const UserError& e) {
      if (reason.empty()) reason = reason_of(e);
    }
  const std::string& symbol = w.caller.symbol();
  if (w.runs)
    not_validated_.erase(symbol);
  else
    not_validated_.insert_or_assign(
        symbol, fmt::format("{} kinds of inputs are refused, the first one by {}", kGeneratedAttempts, reason));
}

// When the pass binds symbols to sizes, generates new inputs of these sizes and runs the function before the pass
// again.
void Validator::bind_sizes(const PassCall& call, const Module& before, const Module& after) {
  const std::string_view pass = call.pass->name;
  if (pass != "bind-symbolic-vars" && pass != "bind-params") return;
  for (auto& [symbol, w] : watched_) {
    const Ref<Function> old = find_by_symbol(symbol, before), now = find_by_symbol(symbol, after);
    if (!w->runs || !old || !now) continue;
    const std::map<std::string, Interval> sizes = sizes_stated_by(*old, *now);
    for (const auto& [name, size] : sizes) w->ranges.insert_or_assign(name, size);
    if (!sizes.empty()) find_inputs(*w, before);
  }
}

// Stops validating functions that have become the weight transform of another function: each is run together with that
// function from here on.
void Validator::drop_new_transforms(const PassCall& call, const Module& after) {
  const std::vector<std::string> asked = asked_functions(after);
  for (auto it = watched_.begin(); it != watched_.end();) {
    const Ref<Function> now = find_by_symbol(it->first, after);
    if (!now || std::ranges::find(asked, it->first) != asked.end()) {
      ++it;
      continue;
    }
    notes_.push_back(fmt::format("not validated: {}: `{}` becomes a parameter transform", call.pass->name, it->first));
    it = watched_.erase(it);
    for (const std::string& user : names_in(*now, kTransformOfAttr)) watched_.erase(user);
    it = watched_.begin();
  }
}

void Validator::check(const PassCall& call, const Module& before, const Module& after) {
  if (passes_.empty())
    for (const std::string& symbol : asked_functions(before)) watch(symbol, before);
  ValidatedPass& seen = passes_.emplace_back(ValidatedPass{.pass = to_text(call)});
  if (after.same_as(before)) return;
  seen.is_changed = true;
  bind_sizes(call, before, after);
  drop_new_transforms(call, after);
  for (auto& [symbol, w] : watched_)
    if (w->runs) check_function(*w, call, before, after, seen);
  // Starts to validate functions that the pass has made public.
  for (const std::string& symbol : asked_functions(after)) watch(symbol, after);
}

// Returns the result of the function before the pass with batch norms in inference form, which use their moving
// averages.
std::optional<Value> Validator::inferred(const Watched& w, const Module& before) {
  try {
    return w.caller.results(decompose_ops_for_inference(runnable(before), {}), w.values);
  } catch (const UserError&) {
    return std::nullopt;
  }
}

void Validator::check_function(Watched& w, const PassCall& call, const Module& before, const Module& after,
                               ValidatedPass& seen) {
  const std::string& symbol = w.caller.symbol();
  const char* pass = call.pass->name;
  const char* help = "`sunmao explain E0541` says how results are compared; another seed tries other inputs";
  try {
    if (const GivenArguments given = w.caller.bound_by(call, before); !given.empty())
      w.expected = w.caller.results(runnable(before), w.values, given);
  } catch (const UserError& e) {
    w.runs = false;
    not_validated_.insert_or_assign(symbol, fmt::format("with what {} binds: {}", pass, reason_of(e)));
    return;
  }
  w.caller.follow(call, before, after);
  Value got;
  try {
    got = w.caller.results(runnable(after), w.values);
  } catch (const UserError& e) {
    Diagnostic d = e.diagnostics()[0];
    fail({.code = "E0541",
          .message =
              fmt::format("pass {} breaks `{}`: it runs before, and is refused after: {}", pass, symbol, reason_of(e)),
          .span = d.span,
          .notes = {},
          .help = help});
  }
  const Effect effect = call.pass->effect;
  if (effect == Effect::Infers) w.expected = inferred(w, before).value_or(w.expected);
  const std::vector<DType> precisions = precisions_of(*find_by_symbol(symbol, before));
  if (const std::optional<std::string> difference = find_difference(w.expected, got, effect, precisions))
    fail("E0541", {}, fmt::format("pass {} changes what `{}` gives: {}", pass, symbol, *difference), help);
  if (effect == Effect::Changes && find_difference(w.expected, got, Effect::Rounds, precisions))
    seen.on_purpose.push_back(fmt::format("{}: {:.3g}", symbol, largest_distance(w.expected, got)));
  else
    seen.same.push_back(symbol);
  w.expected = std::move(got);
}

std::vector<std::string> Validator::summary() const {
  std::vector<std::string> lines, functions;
  size_t changed = 0;
  for (const ValidatedPass& p : passes_) changed += p.is_changed;
  for (const auto& [symbol, w] : watched_)
    if (w->runs) functions.push_back("`" + symbol + "`");
  if (!functions.empty())
    lines.push_back(fmt::format("validated: {} passes, of which {} changed the module, on {}", passes_.size(), changed,
                                fmt::join(functions, ", ")));
  for (const ValidatedPass& p : passes_)
    for (const std::string& far : p.on_purpose)
      lines.push_back(fmt::format("{} changes numbers on purpose: largest difference in {}", p.pass, far));
  for (const auto& [symbol, w] : watched_)
    if (w->runs && !is_finite(w->expected))
      lines.push_back(fmt::format("`{}` gives numbers that are not finite on all inputs that were tried", symbol));
  lines.insert(lines.end(), notes_.begin(), notes_.end());
  for (const auto& [symbol, reason] : not_validated_)
    lines.push_back(fmt::format("not validated: `{}`: {}", symbol, reason));
  if (lines.empty()) lines.emplace_back("not validated: no function has a global symbol");
  return lines;
}

}  // namespace sunmao
