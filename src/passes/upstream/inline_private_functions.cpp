#include "passes/analysis/recursion.h"
#include "passes/analysis/variables.h"
#include "passes/canonical/inline_functions.h"
#include "passes/passes.h"

namespace sunmao {
namespace {

bool is_private(const BaseFunc& f) { return !f.attrs.has("global_symbol"); }

// Returns the private functions that are not recursive.
std::map<std::string, Ref<Function>> find_inlined(const Module& m) {
  std::map<std::string, Ref<Function>> out;
  for (const FunctionEntry& e : m.functions())
    if (Ref<Function> f = find_ref<Function>(Expr(e.func)); f && is_private(*f)) out[e.var->name] = f;
  for (const std::vector<Ref<GlobalVar>>& group : detect_recursion(m))
    for (const Ref<GlobalVar>& g : group) out.erase(g->name);
  return out;
}

}  // namespace

Module inline_private_functions(const Module& m, const PassContext&) {
  std::map<std::string, Ref<Function>> inlined = find_inlined(m);
  std::unordered_set<std::string> called;
  for (const FunctionEntry& e : m.functions())
    if (find<Function>(Expr(e.func)))
      for (const Ref<GlobalVar>& g : called_global_vars(Expr(e.func))) called.insert(g->name);
  std::erase_if(inlined, [&](const auto& entry) { return !called.contains(entry.first); });
  if (inlined.empty()) return m;
  Module out = map_functions(m, [&](const Ref<Function>& f) { return inline_functions(f, inlined); });
  // Removes functions without remaining references; those still used as values stay, with the functions they refer to.
  std::vector<std::string> staying;
  for (const FunctionEntry& e : out.functions())
    if (!inlined.contains(e.var->name)) staying.push_back(e.var->name);
  while (!staying.empty()) {
    const Ref<Function> f = out.find_as<Function>(staying.back());
    staying.pop_back();
    if (!f) continue;
    for (const Ref<GlobalVar>& g : all_global_vars(f))
      if (inlined.erase(g->name) != 0) staying.push_back(g->name);
  }
  for (const auto& [name, function] : inlined) out = out.without_function(name);
  return out;
}

}  // namespace sunmao
