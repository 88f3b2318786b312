#include "passes/analysis/rename_functions.h"

#include <algorithm>

#include "ir/walk.h"
#include "loop/calls.h"

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

Ref<BaseFunc> rename_in(const Ref<BaseFunc>& f, const std::map<std::string, Ref<GlobalVar>>& vars,
                        const std::map<std::string, std::string>& names) {
  if (Ref<Function> graph = find_ref<Function>(Expr(f))) return Renamer(vars).rewrite(graph);
  if (Ref<PrimFunc> loop = find_ref<PrimFunc>(Expr(f))) return rename_called_functions(loop, names);
  return f;
}

}  // namespace

Module rename_functions(const Module& m, const std::map<std::string, std::string>& names) {
  std::map<std::string, Ref<GlobalVar>> vars;
  for (const auto& [from, to] : names)
    if (from != to) vars[from] = GlobalVar::make(to, m.find_var(from) ? m.find_var(from)->span : Span());
  if (vars.empty()) return m;
  std::vector<FunctionEntry> entries;
  for (const FunctionEntry& e : m.functions()) {
    auto it = vars.find(e.var->name);
    entries.push_back({it == vars.end() ? e.var : it->second, rename_in(e.func, vars, names)});
  }
  return Module().with_attrs(m.attrs()).with_global_infos(m.global_infos()).with_functions(std::move(entries));
}

}  // namespace sunmao
