#include "passes/analysis/result_tuple.h"

namespace sunmao {

ResultTuple find_result_tuple(const Function& f) {
  const Expr& result = f.body->body;
  for (const Ref<BindingBlock>& block : f.body->blocks)
    for (const Binding& b : block->bindings)
      if (b.var == result && !b.is_match_cast() && find<Tuple>(b.value)) return {b.var, find_ref<Tuple>(b.value)};
  return {nullptr, find_ref<Tuple>(result)};
}

}  // namespace sunmao
