#include "passes/weights/lift_origins.h"

#include <algorithm>
#include <set>

#include "passes/analysis/result_tuple.h"
#include "passes/analysis/variables.h"
#include "passes/weights/bundle_model_params.h"

namespace sunmao {
namespace {

// Computes the set of parameters, by index, that a value depends on, whether for its elements or for its size.
class Origins final : public Visitor {
 public:
  using Visitor::visit;
  std::vector<std::set<int>> of_result(const Function& f) {
    for (size_t i = 0; i < f.params.size(); ++i) {
      made_of_[f.params[i]] = {static_cast<int>(i)};
      for (const Ref<SymVar>& s : defined_symbols(f.params[i]->type)) said_by_[s].push_back({static_cast<int>(i)});
    }
    visit(*f.body);
    std::vector<std::set<int>> out;
    if (const ResultTuple result = find_result_tuple(f); result.tuple) {
      for (const Expr& field : result.tuple->fields) out.push_back(of(field));
      return out;
    }
    const auto* type = find<TupleType>(f.body->body->type);
    out.assign(type ? type->fields.size() : 0, of(f.body->body));
    return out;
  }

 private:
  void visit(const Binding& b) override {
    const std::set<int> origins = of(b.value);
    if (b.is_match_cast())
      for (const Ref<SymVar>& s : defined_symbols(b.cast_type)) said_by_[s].push_back(origins);
    made_of_[b.var] = origins;
  }

  std::set<int> of(const Expr& e) const {
    std::set<int> of_vars;
    for (const Ref<Var>& v : free_vars(e))
      if (auto it = made_of_.find(v); it != made_of_.end()) of_vars.insert(it->second.begin(), it->second.end());
    std::set<int> out = of_vars;
    for (const Ref<SymVar>& s : free_symbolic_vars(e)) {
      const auto said = said_by_.find(s);
      if (said == said_by_.end()) continue;
      auto is_given = [&](const std::set<int>& definers) { return std::ranges::includes(of_vars, definers); };
      if (std::ranges::any_of(said->second, is_given)) continue;
      for (const std::set<int>& definers : said->second) out.insert(definers.begin(), definers.end());
    }
    return out;
  }

  std::unordered_map<Ref<Var>, std::set<int>> made_of_;
  // For each symbol, the parameters that each of its definitions depends on. Any single definition determines the
  // symbol.
  std::unordered_map<Ref<SymVar>, std::vector<std::set<int>>> said_by_;
};

}  // namespace

AttrMap find_weight_origins(const Function& transform, const std::vector<std::string>& names,
                            const std::vector<std::string>& raw_names) {
  const Ref<Function> f = unbundle_params(Ref<Function>(&transform), raw_names);
  const std::vector<std::set<int>> origins = Origins().of_result(*f);
  AttrMap out;
  for (size_t i = 0; i < std::min(names.size(), origins.size()); ++i) {
    AttrList from;
    for (int raw : origins[i]) from.emplace_back(f->params[static_cast<size_t>(raw)]->name);
    out.emplace(names[i], std::move(from));
  }
  return out;
}

}  // namespace sunmao
