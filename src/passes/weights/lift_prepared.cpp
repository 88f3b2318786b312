#include "passes/weights/lift_prepared.h"

#include <algorithm>

namespace sunmao {
namespace {

bool contains(const auto& list, const auto& item) { return std::ranges::find(list, item) != list.end(); }

// Collects the variables and symbols that the body still uses without the lifted bindings.
class RuntimeUses final : public Visitor {
 public:
  /// `said` are the symbols that are defined by weights, or by match_casts of values computed from weights. A
  /// match_cast that remains in the function checks such a symbol instead of defining it.
  RuntimeUses(const Function& f, const std::unordered_set<Ref<Var>>& lifted,
              const std::unordered_set<Ref<SymVar>>& said)
      : lifted_(lifted), said_(said) {
    visit(*f.body);
    if (f.result_type) need(f.result_type);
  }
  std::unordered_set<Ref<Var>> vars;
  std::vector<Ref<SymVar>> symbols;
  using Visitor::visit;

  void need(const Type& type) {
    for (const Ref<SymVar>& s : free_symbols(type))
      if (!contains(symbols, s) && !own_.contains(s)) symbols.push_back(s);
  }

 private:
  void visit(const Var& v) override { vars.insert(Ref<Var>(&v)); }
  void visit(const Binding& b) override {
    if (lifted_.contains(b.var)) return;
    Visitor::visit(b.value);
    if (b.is_match_cast())
      for (const Ref<SymVar>& s : defined_symbols(b.cast_type))
        if (!said_.contains(s)) own_.insert(s);
    need(b.var->type);
  }
  void visit_leaf(const Expr& e) override {
    if (find<ShapeExpr>(e) || find<PrimValue>(e)) need(e->type);
  }
  const std::unordered_set<Ref<Var>>& lifted_;
  const std::unordered_set<Ref<SymVar>>& said_;
  std::unordered_set<Ref<SymVar>> own_;
};

std::vector<Scalar> as_scalars(const std::vector<Ref<SymVar>>& symbols) { return {symbols.begin(), symbols.end()}; }

// Returns the variables to remove. A tuple of weights is kept if it is still used, since building it is no work.
std::unordered_set<Ref<Var>> lifted_vars(const WorkSource& source, const WeightWork& work,
                                         const WeightWork::Names& names) {
  std::unordered_set<Ref<Var>> lifted;
  std::vector<Ref<Var>> tuples;
  for (const Binding& b : source.dependence.bindings) {
    const WeightWork::Step* step = work.step_of(names.vars.at(b.var));
    if (!step || !step->is_lifted || step->is_constant) continue;
    lifted.insert(b.var);
    if (find<Tuple>(b.value)) tuples.push_back(b.var);
  }
  for (bool changed = !tuples.empty(); changed;) {
    const RuntimeUses uses(*source.function, lifted, source.dependence.symbols);
    changed =
        std::erase_if(tuples, [&](const Ref<Var>& v) { return uses.vars.contains(v) && lifted.erase(v) > 0; }) > 0;
  }
  return lifted;
}

}  // namespace

bool is_taken_apart(const Ref<Var>& v, const WeightWork& work) {
  return find<TupleType>(v->type) && !contains(work.weights, v);
}

Type PreparedWeights::symbol_shape() const { return ShapeType::make(as_scalars(symbols)); }

PreparedWeights find_prepared_weights(const std::vector<WorkSource>& sources, const WeightWork& work) {
  PreparedWeights prepared;
  std::unordered_set<Ref<Var>> needed;
  std::vector<Ref<SymVar>> symbols;  // symbols that are needed, and defined by weights or their casts
  std::unordered_set<Ref<SymVar>> known;
  for (size_t i = 0; i < sources.size(); ++i) {
    const WeightWork::Names& names = work.names[i];
    const WorkSource& source = sources[i];
    const std::unordered_set<Ref<Var>>& lifted = prepared.lifted.emplace_back(lifted_vars(source, work, names));
    const std::vector<Ref<Var>> list = source.weights();
    const std::unordered_set<Ref<Var>> weights(list.begin(), list.end());
    for (const auto& [own, common] : names.symbols) known.insert(common);
    RuntimeUses uses(*source.function, lifted, source.dependence.symbols);
    for (const Ref<Var>& v : uses.vars)
      if (lifted.contains(v) || weights.contains(v)) needed.insert(names.vars.at(v));
    std::unordered_set<Ref<SymVar>> given;
    for (size_t k = 0; k < source.inputs; ++k) {
      uses.need(source.function->params[k]->type);
      for (const Ref<SymVar>& s : defined_symbols(source.function->params[k]->type)) given.insert(s);
    }
    for (const Ref<SymVar>& s : uses.symbols)
      if (auto it = names.symbols.find(s);
          it != names.symbols.end() && !given.contains(s) && !contains(symbols, it->second))
        symbols.push_back(it->second);
  }
  for (const Ref<Var>& w : work.weights)
    if (needed.contains(w)) prepared.values.push_back(w);
  for (const WeightWork::Step& step : work.steps)
    if (step.is_lifted && !step.is_constant && needed.contains(step.binding.var))
      prepared.values.push_back(step.binding.var);
  // Types of prepared weights may use further symbols.
  std::unordered_set<Ref<SymVar>> said;
  for (const Ref<Var>& v : prepared.values) {
    for (const Ref<SymVar>& s : defined_symbols(v->type)) said.insert(s);
    for (const Ref<SymVar>& s : free_symbols(v->type)) {
      if (known.contains(s) && !contains(symbols, s)) symbols.push_back(s);
    }
  }
  for (const Ref<SymVar>& s : symbols)
    if (!said.contains(s)) prepared.symbols.push_back(s);
  return prepared;
}

bool is_all_prepared(const WeightWork& work, const PreparedWeights& prepared) {
  if (prepared.symbols.empty()) return prepared.values == work.weights;
  // An existing transform returns, as its first result, a shape whose values are the symbols.
  const auto* shape = work.weights.empty() ? nullptr : find<ShapeType>(work.weights[0]->type);
  return shape && shape->values && *shape->values == as_scalars(prepared.symbols) &&
         std::ranges::equal(prepared.values, std::span(work.weights).subspan(1));
}

}  // namespace sunmao
