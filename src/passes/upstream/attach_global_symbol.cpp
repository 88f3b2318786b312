#include "loop/prim_func.h"
#include "passes/analysis/rename_functions.h"
#include "passes/passes.h"

namespace sunmao {

Module attach_global_symbol(const Module& m, const PassContext&) {
  const std::string* prefix = m.attrs().find<std::string>("system_lib_prefix");
  std::vector<FunctionEntry> changed;
  std::map<std::string, std::string> renamed;
  for (const FunctionEntry& e : m.functions()) {
    if (e.func->attrs.has("global_symbol")) continue;
    std::string symbol = e.var->name;
    if (prefix && find<PrimFunc>(Expr(e.func))) symbol = *prefix + symbol;
    changed.push_back({e.var, e.func->with_attrs(e.func->attrs.with("global_symbol", symbol))});
    renamed[e.var->name] = symbol;
  }
  if (changed.empty()) return m;
  return rename_functions(m.with_functions(std::move(changed)), renamed);
}

}  // namespace sunmao
