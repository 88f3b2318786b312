#include "ir/walk.h"
#include "passes/analysis/blocks.h"
#include "passes/passes.h"

namespace sunmao {
namespace {

class Flattener final : public Rewriter {
  using Rewriter::visit;

  void visit(const Binding& b) override {
    Binding plain{as_plain(b.var), b.value, b.cast_type, b.span};
    if (plain.var != b.var) replace(b.var, plain.var);  // a local function may refer to itself
    Rewriter::visit(plain);
    // Rewriting the value may have changed its type and with it the variable.
    if (plain.var != b.var) replace(b.var, visit(Expr(plain.var)));
  }

  Ref<BindingBlock> visit_block(const Ref<BindingBlock>& block) override {
    Ref<BindingBlock> visited = Rewriter::visit_block(block);
    return visited->is_dataflow ? BindingBlock::make(visited->bindings, visited->span) : visited;
  }

  Ref<SeqExpr> visit_seq(const Ref<SeqExpr>& seq) override { return with_merged_blocks(Rewriter::visit_seq(seq)); }
};

}  // namespace

Ref<Function> without_dataflow(const Ref<Function>& function) { return Flattener().rewrite(function); }

Module to_non_dataflow(const Module& m, const PassContext&) { return map_functions(m, without_dataflow); }

}  // namespace sunmao
