#include <algorithm>

#include "loop/calls.h"
#include "passes/analysis/named_functions.h"
#include "passes/analysis/unused.h"
#include "passes/analysis/variables.h"
#include "passes/loop/kernel_forms.h"
#include "passes/pass_arguments.h"
#include "passes/passes.h"
#include "support/diagnostic.h"
#include "support/spelling.h"

namespace sunmao {
namespace {

std::vector<std::string> callees(const BaseFunc& f) {
  if (const auto* loop = find<PrimFunc>(Expr(&f))) return called_functions(*loop);
  std::vector<std::string> names;
  for (const Ref<GlobalVar>& g : all_global_vars(Expr(&f))) names.push_back(g->name);
  return names;
}

// Returns the functions that may be called from outside: those with a global symbol, and those in `named`.
std::vector<std::string> entry_points(const Module& m, std::vector<std::string> named) {
  require_functions(m, "eliminate-dead-code", named);
  for (const FunctionEntry& e : m.functions())
    if (e.func->attrs.has("global_symbol")) named.push_back(e.var->name);
  return named;
}

// A module without entry points is a fragment, in which all functions are kept.
Module drop_unreachable(const Module& m, std::vector<std::string> work) {
  if (work.empty()) return m;
  std::unordered_map<std::string, std::vector<std::string>> forms;  // by kernel, which a form goes with
  for (const FunctionEntry& e : m.functions())
    if (const auto* kernel = e.func->attr<std::string>(kFormOfAttr)) forms[*kernel].push_back(e.var->name);
  std::unordered_set<std::string> reached;
  while (!work.empty()) {
    std::string name = std::move(work.back());
    work.pop_back();
    Ref<BaseFunc> f = reached.insert(name).second ? m.find(name) : nullptr;
    if (!f) continue;
    std::vector<std::string> next = callees(*f);
    work.insert(work.end(), next.begin(), next.end());
    if (auto own = forms.find(name); own != forms.end())
      work.insert(work.end(), own->second.begin(), own->second.end());
  }
  return m.without_functions([&](const FunctionEntry& e) { return !reached.contains(e.var->name); });
}

}  // namespace

Module eliminate_dead_code(const Module& m, const PassContext& ctx) {
  std::vector<std::string> named = PassArguments("eliminate-dead-code", ctx).strings("entry_functions");
  std::vector<std::string> entries = entry_points(m, std::move(named));
  Module cleaned =
      map_functions(m, [&](const Ref<Function>& f) { return find_ref<Function>(remove_all_unused(Expr(f), &m)); });
  return drop_unreachable(cleaned, std::move(entries));
}

}  // namespace sunmao
