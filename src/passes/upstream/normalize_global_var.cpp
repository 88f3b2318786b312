#include "ir/builder.h"
#include "passes/analysis/rename_functions.h"
#include "passes/passes.h"

namespace sunmao {

Module normalize_global_var(const Module& m, const PassContext&) {
  NameSupply names;
  std::map<std::string, std::string> renamed;
  for (const FunctionEntry& e : m.functions())
    if (const std::string* symbol = e.func->attr<std::string>("global_symbol")) {
      names.reserve(*symbol);
      renamed[e.var->name] = *symbol;
    }
  // Private functions whose names public functions need are renamed.
  for (const FunctionEntry& e : m.functions())
    if (!e.func->attrs.has("global_symbol")) renamed[e.var->name] = names.fresh(e.var->name);
  return rename_functions(m, renamed);
}

}  // namespace sunmao
