#include "codegen/vm/only_call.h"

namespace sunmao {

const Call* only_call(const SeqExpr& way, const Module& module) {
  const auto* call = find<Call>(way.body);
  Ref<Var> result;
  for (const Ref<BindingBlock>& block : way.blocks)
    for (const Binding& b : block->bindings) {
      if (b.is_match_cast() || (result && find_ref<Var>(b.value) != result)) return nullptr;
      if (!result) call = find<Call>(b.value);
      result = b.var;
    }
  if (result && find_ref<Var>(way.body) != result) return nullptr;
  const auto* callee = call ? find<GlobalVar>(call->callee) : nullptr;
  return callee && module.find_as<Function>(callee->name) ? call : nullptr;
}

}  // namespace sunmao
