// The pass `hoist-weight-work`: what a private function, such as a loop, computes from weights alone is computed by its
// callers and passed to it, so that lift-transform-params takes it out of the program.
#include <algorithm>

#include "ir/builder.h"
#include "ir/copy.h"
#include "passes/analysis/blocks.h"
#include "passes/analysis/variables.h"
#include "passes/canonical/canonicalize_bindings.h"
#include "passes/passes.h"
#include "passes/weights/weight_dependence.h"
#include "passes/weights/weight_params.h"

namespace sunmao {
namespace {

using Vars = std::unordered_set<Ref<Var>>;

/// Which work leaves a function.
struct Hoisted {
  std::string name;
  Ref<Function> function;
  std::vector<Binding> work;      // what callers compute, in order
  std::vector<Ref<Var>> results;  // of these, what is passed to the function
  Vars removed;                   // the variables that the function binds no more
  std::vector<size_t> kept;       // the parameters that it still has
};

/// Collects what a function uses without some of its bindings, where passing a parameter on to itself is no use.
class Uses final : public Visitor {
 public:
  Uses(const std::string& name, const Function& f, const Vars& without) : name_(name), f_(f), without_(without) {
    visit(*f.body);
  }
  Vars found;

 private:
  using Visitor::visit;
  void visit(const Var& v) override { found.insert(Ref<Var>(&v)); }
  void visit(const Binding& b) override {
    if (!without_.contains(b.var)) Visitor::visit(b);
  }
  void visit(const Call& call) override {
    const auto* g = find<GlobalVar>(call.callee);
    if (!g || g->name != name_) return Visitor::visit(call);
    for (size_t i = 0; i < call.args.size(); ++i)
      if (find_ref<Var>(call.args[i]) != f_.params[i]) Visitor::visit(call.args[i]);
  }

  const std::string& name_;
  const Function& f_;
  const Vars& without_;
};

bool is_result(const Binding& b) {
  return find<TensorType>(b.var->type) && (find<Call>(b.value) || find<TupleGetItem>(b.value));
}

/// Returns the bindings that callers can compute: those without casts, from weights and other such bindings.
std::vector<Binding> movable_bindings(const WeightDependence& dependence, const Vars& weights) {
  std::vector<Binding> out;
  Vars known = weights;
  for (const Binding& b : dependence.bindings) {
    const bool has_all = std::ranges::all_of(free_vars(b.value), [&](const Ref<Var>& v) { return known.contains(v); });
    if (!has_all || b.is_match_cast() || find<If>(b.value) || find<Function>(b.value)) continue;
    known.insert(b.var);
    out.push_back(b);
  }
  return out;
}

std::optional<Hoisted> plan(const std::string& name, const Ref<Function>& f, const Vars& weights, const Module& m) {
  std::vector<Ref<Var>> given;
  std::ranges::copy_if(f->params, std::back_inserter(given), [&](const Ref<Var>& p) { return weights.contains(p); });
  const WeightDependence dependence = find_weight_dependence(*f, given, m);
  const std::vector<Binding> movable = movable_bindings(dependence, weights);
  Hoisted out{.name = name, .function = f};
  for (const Binding& b : movable)
    if (dependence.weight_only.contains(b.var)) out.removed.insert(b.var);
  // Tuples and other names of weights that are still used stay, since making them is no work.
  std::optional<Uses> uses;
  for (bool changed = true; changed;) {
    changed = false;
    uses.emplace(name, *f, out.removed);
    for (const Binding& b : movable)
      if (uses->found.contains(b.var) && !is_result(b)) changed |= out.removed.erase(b.var) > 0;
  }
  Vars needed;
  for (const Binding& b : movable)
    if (out.removed.contains(b.var) && uses->found.contains(b.var)) out.results.push_back(b.var);
  if (out.results.empty()) return std::nullopt;
  needed.insert(out.results.begin(), out.results.end());
  for (auto b = movable.rbegin(); b != movable.rend(); ++b) {
    if (!needed.contains(b->var)) continue;
    out.work.insert(out.work.begin(), *b);
    for (const Ref<Var>& v : free_vars(b->value)) needed.insert(v);
  }
  for (size_t i = 0; i < f->params.size(); ++i)
    if (!weights.contains(f->params[i]) || uses->found.contains(f->params[i])) out.kept.push_back(i);
  return out;
}

/// Rewrites the function that work leaves, and its callers.
class Hoister final : public Rewriter {
 public:
  Hoister(const Hoisted& hoisted, const Vars& weights) : hoisted_(hoisted), weights_(weights) {}

  Ref<Function> in_function() {
    const Function& f = *hoisted_.function;
    std::vector<Ref<Var>> params;
    for (size_t i : hoisted_.kept) params.push_back(f.params[i]);
    for (const Ref<Var>& v : hoisted_.results) {
      params.push_back(Var::make(v->name, v->type));
      replace(v, params.back());
      passed_.push_back(params.back());
    }
    is_inside_ = true;
    const Ref<SeqExpr> body = visit_seq(f.body);
    return with_merged_blocks(
        canonical_form(Function::make(std::move(params), body, f.result_type, f.is_pure, f.attrs, f.span)));
  }

  /// The work on weights stands at the beginning of the caller, whose parameters they are.
  Ref<Function> in_caller(const Ref<Function>& f) {
    for (const Ref<Var>& v : all_vars(Expr(f))) builder_.unique_name(v->name);
    const Ref<Function> rewritten = rewrite(f);
    if (calls_.empty()) return rewritten;
    builder_.end_dataflow();
    std::vector<Ref<BindingBlock>> blocks = builder_.finish_sequence(Tuple::make({}))->blocks;
    blocks.insert(blocks.end(), rewritten->body->blocks.begin(), rewritten->body->blocks.end());
    return with_merged_blocks(
        rewritten->with_body(SeqExpr::make(std::move(blocks), rewritten->body->body, rewritten->body->span)));
  }

 private:
  using Rewriter::visit;

  void visit(const Binding& b) override {
    if (!is_inside_ || !hoisted_.removed.contains(b.var)) Rewriter::visit(b);
  }

  Expr visit(const Call& call) override {
    Expr e = Rewriter::visit(call);
    const auto* c = find<Call>(e);
    const auto* g = c ? find<GlobalVar>(c->callee) : nullptr;
    if (!g || g->name != hoisted_.name) return e;
    std::vector<Expr> args;
    for (size_t i : hoisted_.kept) args.push_back(c->args[i]);
    const std::vector<Expr> computed = is_inside_ ? passed_ : computed_for(*c);
    args.insert(args.end(), computed.begin(), computed.end());
    return c->with_args(std::move(args));
  }

  /// Returns the results of the work for the weights of a call. Calls with the same weights share it.
  const std::vector<Expr>& computed_for(const Call& call) {
    std::vector<Expr> given;
    const std::vector<Ref<Var>>& params = hoisted_.function->params;
    FreshCopy copy;
    for (size_t i = 0; i < params.size(); ++i)
      if (weights_.contains(params[i])) {
        given.push_back(call.args[i]);
        copy.map(params[i], call.args[i]);
      }
    const auto known = std::ranges::find(calls_, given, &std::pair<std::vector<Expr>, std::vector<Expr>>::first);
    if (known != calls_.end()) return known->second;
    std::vector<Expr> results;
    if (!builder_.in_dataflow()) builder_.begin_dataflow();
    for (const Binding& b : hoisted_.work) {
      const bool is_passed = std::ranges::find(hoisted_.results, b.var) != hoisted_.results.end();
      const Expr value = copy.copy(b.value);
      const Expr var = is_passed ? builder_.emit_output(value, b.var->name) : builder_.emit(value, b.var->name);
      copy.map(b.var, var);
      if (is_passed) results.push_back(var);
    }
    return calls_.emplace_back(std::move(given), std::move(results)).second;
  }

  const Hoisted& hoisted_;
  const Vars& weights_;
  bool is_inside_ = false;
  std::vector<Expr> passed_;
  BlockBuilder builder_;
  std::vector<std::pair<std::vector<Expr>, std::vector<Expr>>> calls_;  // weights of a call, and what they give
};

Module hoisted(const Module& m, const Hoisted& h, const Vars& weights) {
  std::vector<FunctionEntry> changed;
  for (const FunctionEntry& e : m.functions()) {
    const Ref<Function> f = find_ref<Function>(Expr(e.func));
    if (!f) continue;
    Hoister hoister(h, weights);
    const Ref<Function> after = e.var->name == h.name ? hoister.in_function() : hoister.in_caller(f);
    if (after != f) changed.push_back({e.var, after});
  }
  return m.with_functions(std::move(changed));
}

/// Returns the module without the work on weights of one function; nullopt where no function has such work.
std::optional<Module> step(const Module& m) {
  for (const auto& [name, weights] : find_weights(m)) {
    const Ref<Function> f = m.find_as<Function>(name);
    if (weights.empty() || f->attrs.has("num_input")) continue;  // an entry keeps its parameters
    if (const std::optional<Hoisted> h = plan(name, f, weights, m)) return hoisted(m, *h, weights);
  }
  return std::nullopt;
}

}  // namespace

Module hoist_weight_work(const Module& m, const PassContext&) {
  Module out = m;
  while (const std::optional<Module> next = step(out)) out = *next;
  return out;
}

}  // namespace sunmao
