// A rewriter whose new values may be nested expressions.
#pragma once
#include "ir/walk.h"

namespace sunmao {

class NestedRewriter : public Rewriter {
 protected:
  /// Binds the computations inside of `e`, a node that occurs twice once; the result is what `bind` takes.
  Expr flatten(const Expr& e);

 private:
  Expr operand(const Expr& e);
  std::vector<Expr> operands(const std::vector<Expr>& exprs);
  std::unordered_map<Expr, Expr> emitted_;
};

}  // namespace sunmao
