// ForwardingRewriter: a rewriter that drops bindings whose rewritten value is just another variable.
#pragma once
#include "ir/walk.h"

namespace sunmao {

/// When rewriting turns the value of a binding (other than a match_cast) into a variable, drops the binding and
/// replaces the bound variable by that variable, unless a dataflow variable could then be used outside of its block.
class ForwardingRewriter : public Rewriter {
 protected:
  using Rewriter::visit;
  void visit(const Binding& b) override;
};

}  // namespace sunmao
