#include "ir/equal.h"
#include "ir/walk.h"
#include "passes/graph/graph_passes.h"

namespace sunmao {
namespace {

class Canonicalizer final : public Rewriter {
  using Rewriter::visit;

  void visit(const Binding& b) override {
    Expr value = Rewriter::visit(b.value);
    // A dataflow variable may stand for anything at hand; one that leaves the block must not become a local one.
    bool stays_local = b.var->is_dataflow || !in_dataflow();
    bool renames = find<Var>(value) && (stays_local || !find<Var>(value)->is_dataflow);
    if (!b.is_match_cast() && renames && structural_equal(value->type, b.var->type)) return replace(b.var, value);
    bind(b, value);
  }

  Expr visit(const TupleGetItem& item) override {
    Expr rewritten = Rewriter::visit(item);
    const auto* get = find<TupleGetItem>(rewritten);
    const auto* tuple = get ? find<Tuple>(find<Tuple>(get->tuple) ? get->tuple : value_of(get->tuple)) : nullptr;
    return tuple ? tuple->fields[static_cast<size_t>(get->index)] : rewritten;
  }
};

}  // namespace

Module canonicalize_bindings(const Module& m, const PassContext&) {
  return map_functions(m, [](const Ref<Function>& f) { return Canonicalizer().rewrite(f); });
}

}  // namespace sunmao
