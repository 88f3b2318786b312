// The pass `remove-unused-parameters`: removes parameters that a private function does not read. Symbols that the rest
// of the function uses, or compares in a cast, and that only removed parameters defined are passed as additional shape
// parameters, one per symbol.
#include <algorithm>

#include "ir/copy.h"
#include "ir/type_relation.h"
#include "ir/walk.h"
#include "passes/analysis/call_sites.h"
#include "passes/analysis/matched_scalars.h"
#include "passes/analysis/variables.h"
#include "passes/passes.h"

namespace sunmao {
namespace {

struct Change {
  Ref<Function> function;           // the function with its new parameters
  std::vector<size_t> kept;         // indices of kept arguments
  std::vector<Ref<SymVar>> passed;  // symbols passed as additional shape parameters
  std::vector<Type> param_types;    // of the original parameters
};

std::optional<Substitution> solve(const std::vector<Type>& params, const Call& call);

// Returns the symbols that removed parameters define and that casts compare with, which would define them otherwise.
std::vector<Ref<SymVar>> compared_symbols(const Function& f, const std::vector<Ref<Var>>& kept) {
  std::vector<Ref<SymVar>> out = defined_symbolic_vars(Expr(f.body));
  const auto defines = [](const std::vector<Ref<Var>>& params, const Ref<SymVar>& symbol) {
    return std::ranges::any_of(params, [&](const Ref<Var>& p) {
      const std::vector<Ref<SymVar>> defined = defined_symbols(p->type);
      return std::ranges::find(defined, symbol) != defined.end();
    });
  };
  std::erase_if(out, [&](const Ref<SymVar>& s) { return !defines(f.params, s) || defines(kept, s); });
  return out;
}

std::optional<Change> plan_change(const CallSites& site) {
  const Function& f = *site.function;
  std::vector<Ref<Var>> used = free_vars(Expr(f.body)), params;
  Change change;
  for (size_t i = 0; i < f.params.size(); ++i) {
    change.param_types.push_back(f.params[i]->type);
    if (std::ranges::find(used, f.params[i]) == used.end()) continue;
    change.kept.push_back(i);
    params.push_back(f.params[i]);
  }
  if (change.kept.size() == f.params.size()) return std::nullopt;
  Ref<Function> reduced = Function::make(params, f.body, f.result_type, f.is_pure, f.attrs, f.span);
  change.passed = free_symbolic_vars(Expr(reduced));
  std::ranges::reverse(change.passed);
  for (const Ref<SymVar>& s : compared_symbols(f, params)) change.passed.push_back(s);
  for (const Ref<SymVar>& s : change.passed)
    params.push_back(Var::make("param_" + s->name, ShapeType::make({Scalar(s)})));
  // Replacing a shape parameter by a shape of the same symbol is no change.
  bool same = params.size() == f.params.size() &&
              std::ranges::equal(params, f.params, [](const Ref<Var>& a, const Ref<Var>& b) {
                const auto *x = find<ShapeType>(a->type), *y = find<ShapeType>(b->type);
                return a == b || (x && y && x->values && y->values && x->values->size() == 1 &&
                                  y->values->size() == 1 && (*x->values)[0] == (*y->values)[0]);
              });
  if (same) return std::nullopt;
  for (const Ref<Call>& call : site.calls) {
    std::optional<Substitution> known = solve(change.param_types, *call);
    if (!known || !std::ranges::all_of(change.passed, [&](const Ref<SymVar>& s) { return known->contains(s); }))
      return std::nullopt;
  }
  change.function = Function::make(std::move(params), f.body, f.result_type, f.is_pure, f.attrs, f.span);
  return change;
}

// Solves the parameters' symbols from the argument types. Those of scalar parameters are skipped, since passing a shape
// instead of a scalar is no improvement.
std::optional<Substitution> solve(const std::vector<Type>& params, const Call& call) {
  if (params.size() != call.args.size()) return std::nullopt;
  Substitution known;
  for (size_t i = 0; i < params.size(); ++i)
    for_each_matched(params[i], call.args[i]->type, [&](const Type& part, const Scalar& own, const Scalar& given) {
      if (Ref<SymVar> s = find_ref<SymVar>(own); s && !find<PrimType>(part)) known.try_emplace(s, given);
    });
  return known;
}

class ParameterUpdater final : public Rewriter {
 public:
  explicit ParameterUpdater(const std::map<std::string, Change>& changes) : changes_(changes) {}

 private:
  using Rewriter::visit;
  Expr visit(const Call& call) override {
    Expr visited = Rewriter::visit(call);
    const auto* c = find<Call>(visited);
    const auto* g = c ? find<GlobalVar>(c->callee) : nullptr;
    auto it = g ? changes_.find(g->name) : changes_.end();
    if (it == changes_.end()) return visited;
    std::optional<Substitution> known = solve(it->second.param_types, *c);
    std::vector<Expr> args;
    for (size_t i : it->second.kept) args.push_back(c->args[i]);
    for (const Ref<SymVar>& s : it->second.passed) args.push_back(ShapeExpr::make({known->at(s)}, c->span));
    return c->with_args(std::move(args));
  }
  const std::map<std::string, Change>& changes_;
};

}  // namespace

Module remove_unused_parameters(const Module& m, const PassContext&) {
  std::map<std::string, Change> changes;
  std::vector<FunctionEntry> entries;
  for (const auto& [name, site] : find_call_sites(m))
    if (std::optional<Change> change = plan_change(site)) {
      entries.push_back({m.find_var(name), change->function});
      changes.emplace(name, std::move(*change));
    }
  if (changes.empty()) return m;
  return map_functions(m.with_functions(std::move(entries)),
                       [&](const Ref<Function>& f) { return ParameterUpdater(changes).rewrite(f); });
}

}  // namespace sunmao
