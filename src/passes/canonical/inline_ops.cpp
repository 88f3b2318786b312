// The pass `inline-ops`: calls of functions that are custom ops become their bodies, so that numbers and shapes reach
// the kernels which they call. Private ones that nothing names are left out then.
#include <unordered_set>

#include "ir/custom_op.h"
#include "passes/analysis/variables.h"
#include "passes/canonical/inline_functions.h"
#include "passes/passes.h"

namespace sunmao {

Module inline_ops(const Module& m, const PassContext&) {
  std::map<std::string, Ref<Function>> ops;
  for (const FunctionEntry& e : m.functions())
    if (e.func->attrs.has(kCustomOpAttr))
      if (Ref<Function> f = find_ref<Function>(Expr(e.func))) ops.emplace(e.var->name, std::move(f));
  if (ops.empty()) return m;
  const Module inlined = map_functions(m, [&](const Ref<Function>& f) { return inline_functions(f, ops); });
  std::unordered_set<std::string> named;
  for (const FunctionEntry& e : inlined.functions())
    for (const Ref<GlobalVar>& var : all_global_vars(Expr(e.func))) named.insert(var->name);
  return inlined.without_functions([&](const FunctionEntry& e) {
    return ops.contains(e.var->name) && !e.func->attrs.has("global_symbol") && !named.contains(e.var->name);
  });
}

}  // namespace sunmao
