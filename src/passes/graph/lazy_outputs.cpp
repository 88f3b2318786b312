#include "passes/graph/lazy_outputs.h"

#include "passes/graph/result_tuple.h"

namespace sunmao {

LazyOutputs find_lazy_outputs(const Function& f) {
  LazyOutputs out;
  const ResultTuple result = find_result_tuple(f);
  out.result = result.var;
  const std::vector<Expr> fields = result.tuple ? result.tuple->fields : std::vector<Expr>{f.body->body};
  for (size_t i = 0; i < fields.size(); ++i)
    if (Ref<Var> v = find_ref<Var>(fields[i]))
      out.of_vars[v].push_back(i);
    else
      out.leaves.emplace_back(fields[i], i);
  return out;
}

}  // namespace sunmao
