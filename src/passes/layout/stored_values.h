// Values of a dataflow block that are stored in another order than the program says, and the way between orders.
#pragma once
#include "ir/walk.h"
#include "ops/layout_rule.h"

namespace sunmao {

/// A rewriter that knows how each variable is stored; whoever reads one the ordinary way gets the original order.
class StoredValues : public Rewriter {
 protected:
  using Rewriter::visit;
  Expr visit(const Var& var) override;

  /// How a leaf of the program, or a tuple of them, is stored now.
  ValueLayout layout_of(const Expr& e) const;
  /// The same value as it is stored now.
  Expr current(const Expr& e);
  /// The same value stored in another way; what has no layout stays as it is.
  Expr stored(const Expr& e, const ValueLayout& layout);
  /// Ends the visit of a binding whose value is stored so; what leaves the block is brought back.
  void bind_stored(const Binding& b, Expr value, const ValueLayout& layout);
  /// From here on the variable of the program is known to be stored so.
  void note(const Ref<Var>& var, const ValueLayout& layout);

 private:
  Expr converted(const Expr& e, const ValueLayout& from, const ValueLayout& to);
  std::unordered_map<Ref<Var>, ValueLayout> layouts_;  // of variables that are not in their original order
};

}  // namespace sunmao
