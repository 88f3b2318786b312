#include "passes/graph/lazy_outputs.h"

namespace sunmao {

LazyOutputs find_lazy_outputs(const Function& f) {
  LazyOutputs out;
  const Expr& body = f.body->body;
  Expr value = body;
  for (const Ref<BindingBlock>& block : f.body->blocks)
    for (const Binding& b : block->bindings)
      if (b.var == body && !b.is_match_cast() && find<Tuple>(b.value)) {
        out.result = b.var;
        value = b.value;
      }
  const auto* tuple = find<Tuple>(value);
  const std::vector<Expr> fields = tuple ? tuple->fields : std::vector<Expr>{value};
  for (size_t i = 0; i < fields.size(); ++i)
    if (Ref<Var> v = find_ref<Var>(fields[i]))
      out.of_vars[v].push_back(i);
    else
      out.leaves.emplace_back(fields[i], i);
  return out;
}

}  // namespace sunmao
