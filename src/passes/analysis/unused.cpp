#include "passes/analysis/unused.h"

#include <ranges>

#include "eval/host_function.h"
#include "passes/analysis/purity.h"

namespace sunmao {
namespace {

using Needed = std::unordered_set<Ref<Var>>;

class Keeps {
 public:
  explicit Keeps(const Module* module) : query_{.own_name = {}, .module = module} {}
  /// True when a binding is kept although its variable is unused.
  bool operator()(const Binding& b) const {
    // A match_cast of a shape expression is a run-time check, with an effect even if its variable is unused.
    if (b.is_match_cast() && (find<ShapeExpr>(b.value) || !defined_symbols(b.cast_type).empty())) return true;
    // A scalar read from a tuple may define a symbol.
    if (find<TupleGetItem>(b.value) && find<PrimType>(b.var->type) && !defined_symbols(b.var->type).empty())
      return true;
    if (empties_a_field(b.value)) return true;
    return !find<Function>(b.value) && contains_impure_call(b.value, query_);
  }

 private:
  // True for the call that resets a tuple field, which frees memory; it is declared pure to be allowed in dataflow
  // blocks.
  static bool empties_a_field(const Expr& value) {
    const auto* call = find<Call>(value);
    const auto* callee = call && !call->args.empty() ? find<ExternFunc>(call->args[0]) : nullptr;
    return callee && callee->name == kResetItem;
  }

  const ImpureCallQuery query_;
};

// Collects the variables that are needed, from the last binding to the first.
class Needs final : public Visitor {
 public:
  explicit Needs(const Keeps& keeps) : keeps_(keeps) {}
  Needed found;
  using Visitor::visit;

 private:
  void visit(const SeqExpr& seq) override {
    Visitor::visit(seq.body);
    for (const Ref<BindingBlock>& block : std::views::reverse(seq.blocks)) visit_block(*block);
  }
  void visit(const Var& var) override { found.insert(Ref<Var>(&var)); }
  void visit_block(const BindingBlock& block) override {
    for (const Binding& b : std::views::reverse(block.bindings))
      if (found.contains(b.var) || keeps_(b)) Visitor::visit(b.value);
  }
  const Keeps& keeps_;
};

class Cleaner final : public Rewriter {
 public:
  Cleaner(const Keeps& keeps, const Needed& needed) : keeps_(keeps), needed_(needed) {}
  using Rewriter::visit;
  Expr clean(const Expr& e) { return visit(e); }

 private:
  void visit(const Binding& b) override {
    if (needed_.contains(b.var) || keeps_(b)) Rewriter::visit(b);
  }
  const Keeps& keeps_;
  const Needed& needed_;
};

}  // namespace

Expr remove_all_unused(const Expr& e, const Module* module) {
  Keeps keeps(module);
  Needs needs(keeps);
  needs.visit(e);
  return Cleaner(keeps, needs.found).clean(e);
}

}  // namespace sunmao
