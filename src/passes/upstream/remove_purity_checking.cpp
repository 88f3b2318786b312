// The pass `remove-purity-checking`: sets `force_pure` on pure functions and turns the calls declared pure
// (`call_pure_packed`, `invoke_pure_closure`) into plain calls, so that later passes need not preserve purity.
#include "ir/walk.h"
#include "ops/ops.h"
#include "passes/passes.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

class PurityCheckRemover final : public Rewriter {
  using Rewriter::visit;

  Expr visit(const Call& call) override {
    Expr visited = Rewriter::visit(call);
    if (const Call* c = find_call(visited, "call_pure_packed")) {
      const auto* args = find<Tuple>(c->args[1]);
      return args ? Expr(Call::make(c->args[0], args->fields, c->attrs, c->type_args, c->span)) : visited;
    }
    if (const Call* c = find_call(visited, "invoke_pure_closure"))
      return Call::make(builtin_ops().get("invoke_closure"), c->args, c->attrs, c->type_args, c->span);
    return visited;
  }

  Ref<BindingBlock> visit_block(const Ref<BindingBlock>& block) override {
    if (block->is_dataflow)
      fail("E0523", block->span, "remove-purity-checking: a dataflow block is left, which is pure by definition",
           "run `to-non-dataflow` before");
    return Rewriter::visit_block(block);
  }

  Expr visit(const Function& f) override {
    Expr visited = Rewriter::visit(f);
    const auto& function = *find<Function>(visited);
    if (!function.is_pure || function.attrs.has("relax.force_pure")) return visited;
    return function.with_attr("relax.force_pure", true);
  }
};

}  // namespace

Module remove_purity_checking(const Module& m, const PassContext&) {
  return map_functions(m, [](const Ref<Function>& f) { return PurityCheckRemover().rewrite(f); });
}

}  // namespace sunmao
