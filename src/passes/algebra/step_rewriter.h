// StepRewriter: a rewriter that replaces a call by several, and knows what the variables of the block stand for.
#pragma once
#include <unordered_set>

#include "passes/algebra/scaled_weights.h"
#include "passes/analysis/forwarding_rewriter.h"

namespace sunmao {

class StepRewriter : public ForwardingRewriter {
 public:
  explicit StepRewriter(const Function& f);

 protected:
  using ForwardingRewriter::visit;
  void visit(const Binding& b) override;
  /// What is noted of a block ends with it: variables of a dataflow block are not visible behind it.
  Ref<BindingBlock> visit_block(const Ref<BindingBlock>& block) override;
  virtual void forget() { in_block_.clear(); }

  /// Binds an expression, and returns its variable.
  Expr bound(const Expr& value);
  /// Binds a call.
  Expr step(const char* op, std::vector<Expr> args, AttrMap attrs = {});
  /// Returns a tensor in a dtype, itself where it has it.
  Expr as(const Expr& e, DType dtype);
  EmitFn emit_step();

  /// True for what depends on constants and weights alone.
  bool is_known(const Expr& e) const;
  /// Returns what a variable of the block stands for; null for others.
  Expr definition(const Expr& e) const { return in_block_.contains(find_ref<Var>(e)) ? value_of(e) : nullptr; }
  const Call* call_of(const Expr& e, std::string_view op) const;

  std::string binding_;  // that is being visited
  Span span_;            // of its call

 private:
  std::unordered_set<Ref<Var>> known_, in_block_;
};

}  // namespace sunmao
