#include "passes/analysis/forwarding_rewriter.h"

namespace sunmao {

void ForwardingRewriter::visit(const Binding& b) {
  Expr value = Rewriter::visit(b.value);
  const auto* var = find<Var>(value);
  const bool stays = var && (b.var->is_dataflow || !var->is_dataflow || !in_dataflow());
  if (value != b.value && stays && !b.is_match_cast()) return replace(b.var, value);
  bind(b, value);
}

}  // namespace sunmao
