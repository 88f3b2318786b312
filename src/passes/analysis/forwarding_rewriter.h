// ForwardingRewriter: a rewriter whose rewritten values may turn out to be variables.
#pragma once
#include "ir/walk.h"

namespace sunmao {

/// Drops a binding whose rewritten value is another variable, and replaces the bound variable by that one, unless a
/// dataflow variable would then be used outside its block.
class ForwardingRewriter : public Rewriter {
 protected:
  using Rewriter::visit;
  void visit(const Binding& b) override;
};

}  // namespace sunmao
