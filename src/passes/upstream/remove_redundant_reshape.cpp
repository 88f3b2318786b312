#include "ir/equal.h"
#include "ir/walk.h"
#include "passes/passes.h"

namespace sunmao {
namespace {

class ReshapeRemover final : public Rewriter {
  using Rewriter::visit;

  // Returns the operand of the first reshape in a chain.
  Expr source_of(Expr e) const {
    for (const Call* inner = find_call(value_of(e), "reshape"); inner; inner = find_call(value_of(e), "reshape"))
      e = inner->args[0];
    return e;
  }

  Expr visit(const Call& call) override {
    Expr visited = Rewriter::visit(call);
    const Call* reshape = find_call(visited, "reshape");
    if (!reshape) return visited;
    Expr source = source_of(reshape->args[0]);
    if (source->type && structural_equal(source->type, reshape->type) && may_stand(source)) return source;
    std::vector<Expr> args = reshape->args;
    args[0] = source;
    return reshape->with_args(std::move(args));
  }

  void visit(const Binding& b) override {
    leaves_block_ = in_dataflow() && !b.var->is_dataflow;
    Expr value = Rewriter::visit(b.value);
    bool renames = value != b.value && find<Var>(value) && !b.is_match_cast();
    if (renames) return replace(b.var, value);
    bind(b, value);
  }

  // A variable used outside its dataflow block cannot be replaced by a dataflow variable.
  bool may_stand(const Expr& e) const { return !leaves_block_ || !find<Var>(e) || !find<Var>(e)->is_dataflow; }

  bool leaves_block_ = false;
};

}  // namespace

Module remove_redundant_reshape(const Module& m, const PassContext&) {
  return map_functions(m, [](const Ref<Function>& f) { return ReshapeRemover().rewrite(f); });
}

}  // namespace sunmao
