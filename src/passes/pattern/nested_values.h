// NestedRewriter: a rewriter whose replacement values may be nested expressions.
#pragma once
#include "ir/walk.h"

namespace sunmao {

class NestedRewriter : public Rewriter {
 protected:
  /// Binds the operands of `e` that are no leaves (call arguments, tuple fields, the tuple of a field access), shared
  /// nodes once; returns `e` with leaf operands.
  Expr flatten(const Expr& e);

 private:
  Expr operand(const Expr& e);
  std::vector<Expr> operands(const std::vector<Expr>& exprs);
  std::unordered_map<Expr, Expr> emitted_;
};

}  // namespace sunmao
