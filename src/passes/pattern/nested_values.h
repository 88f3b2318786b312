// NestedRewriter: a rewriter whose replacement values may be nested expressions.
#pragma once
#include "ir/walk.h"

namespace sunmao {

class NestedRewriter : public Rewriter {
 protected:
  /// Binds the nested computations of `e`, shared nodes once; returns an expression with leaf operands for `bind`.
  Expr flatten(const Expr& e);

 private:
  Expr operand(const Expr& e);
  std::vector<Expr> operands(const std::vector<Expr>& exprs);
  std::unordered_map<Expr, Expr> emitted_;
};

}  // namespace sunmao
