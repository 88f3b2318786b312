#include "passes/graph/rename_functions.h"

#include <algorithm>

#include "ir/walk.h"

namespace sunmao {
namespace {

class Renamer final : public Rewriter {
 public:
  explicit Renamer(const std::map<std::string, Ref<GlobalVar>>& vars) : vars_(vars) {}

 private:
  using Rewriter::visit;
  Expr visit_leaf(const Expr& e) override {
    const auto* g = find<GlobalVar>(e);
    auto it = g ? vars_.find(g->name) : vars_.end();
    return it == vars_.end() ? e : Expr(it->second);
  }
  const std::map<std::string, Ref<GlobalVar>>& vars_;
};

}  // namespace

Module rename_functions(const Module& m, const std::map<std::string, std::string>& names) {
  std::map<std::string, Ref<GlobalVar>> vars;
  for (const auto& [from, to] : names)
    if (from != to) vars[from] = GlobalVar::make(to, m.find_var(from) ? m.find_var(from)->span : Span());
  if (vars.empty()) return m;
  std::vector<FunctionEntry> entries;
  for (const FunctionEntry& e : m.functions()) {
    auto it = vars.find(e.var->name);
    Ref<Function> f = find_ref<Function>(Expr(e.func));
    entries.push_back({it == vars.end() ? e.var : it->second, f ? Ref<BaseFunc>(Renamer(vars).rewrite(f)) : e.func});
  }
  return Module().with_attrs(m.attrs()).with_global_infos(m.global_infos()).with_functions(std::move(entries));
}

}  // namespace sunmao
