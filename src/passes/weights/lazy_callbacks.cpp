#include "passes/weights/lazy_callbacks.h"

#include "passes/analysis/variables.h"
#include "passes/weights/weight_dependence.h"
#include "support/diagnostic.h"

namespace sunmao {

Module map_uncalled_entries(const Module& m, const char* pass, const EntryRewrite& rewrite) {
  const std::unordered_map<std::string, std::string> callers = first_callers(m);
  std::vector<FunctionEntry> changed;
  for (const FunctionEntry& e : m.functions()) {
    Ref<Function> function = find_ref<Function>(Expr(e.func));
    if (!function || !function->attrs.has("global_symbol")) continue;
    if (const auto caller = callers.find(e.var->name); caller != callers.end())
      fail("E0504", function->span,
           fmt::format("{}: `{}` is called by `{}`, which has no callback to hand over", pass, e.var->name,
                       caller->second),
           "make it private, or inline it first: inline-private-functions");
    changed.push_back({e.var, rewrite(function, e.var->name)});
  }
  return changed.empty() ? m : m.with_functions(std::move(changed));
}

}  // namespace sunmao
