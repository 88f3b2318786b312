// ForwardingRewriter: a rewriter whose rewritten values may turn out to be variables.
#pragma once
#include "ir/walk.h"

namespace sunmao {

/// Drops a binding, other than a match_cast, whose value rewriting has turned into another variable, and replaces the
/// bound variable by that one, unless a dataflow variable could then be used outside its block.
class ForwardingRewriter : public Rewriter {
 protected:
  using Rewriter::visit;
  void visit(const Binding& b) override;
};

}  // namespace sunmao
