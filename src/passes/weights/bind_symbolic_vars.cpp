#include "passes/weights/bind_symbolic_vars.h"

#include <algorithm>

#include "ir/copy.h"
#include "passes/analysis/named_functions.h"
#include "passes/analysis/variables.h"
#include "passes/pass_arguments.h"
#include "passes/passes.h"
#include "support/diagnostic.h"

namespace sunmao {

Ref<Function> bind_symbols(const Ref<Function>& function, const Substitution& symbols) {
  auto has = [&](const std::vector<Ref<SymVar>>& list) {
    return std::ranges::any_of(list, [&](const Ref<SymVar>& s) { return symbols.contains(s); });
  };
  if (!has(defined_symbolic_vars(Expr(function))) && !has(free_symbolic_vars(Expr(function)))) return function;
  FreshCopy copy;
  for (const auto& [symbol, scalar] : symbols) copy.map(symbol, scalar);
  return copy.copy(function);
}

std::vector<Ref<SymVar>> find_symbols(const Function& function, const std::string& name) {
  std::vector<Ref<SymVar>> out = defined_symbolic_vars(Expr(&function));
  for (const Ref<SymVar>& s : free_symbolic_vars(Expr(&function))) out.push_back(s);
  std::erase_if(out, [&](const Ref<SymVar>& s) { return s->name != name; });
  return out;
}

Module bind_symbolic_vars(const Module& m, const PassContext& ctx) {
  PassArguments arguments("bind-symbolic-vars", ctx);
  std::string only = arguments.string("func_name");
  if (!only.empty()) require_functions(m, "bind-symbolic-vars", {only});
  std::unordered_set<std::string> used;
  Module out = m;
  for (const FunctionEntry& e : m.functions()) {
    Ref<Function> f = find_ref<Function>(Expr(e.func));
    if (!f || (!only.empty() && e.var->name != only)) continue;
    Substitution symbols;
    for (const auto& [name, value] : arguments.map("binding_map")) {
      const int64_t* number = value.find<int64_t>();
      const Scalar* scalar = value.find<Scalar>();
      if (!number && !scalar) fail("E0514", {}, fmt::format("bind-symbolic-vars: `{}` must be an integer", name));
      for (const Ref<SymVar>& s : find_symbols(*f, name)) {
        symbols.emplace(s, number ? int_imm(*number) : *scalar);
        used.insert(name);
      }
    }
    out = std::move(out).with_function(e.var, bind_symbols(f, symbols));
  }
  for (const auto& [name, value] : arguments.map("binding_map"))
    if (!used.contains(name))
      fail("E0519", {}, fmt::format("bind-symbolic-vars: there is no symbol `{}`", name),
           "symbols are the names in shapes of parameters");
  return out;
}

}  // namespace sunmao
