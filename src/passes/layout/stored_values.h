// Values of a dataflow block that are stored in another layout than the program's, and conversions between layouts.
#pragma once
#include "ir/walk.h"
#include "ops/layout_rule.h"

namespace sunmao {

/// A rewriter that tracks the layout of each variable; an ordinary use of a variable converts it to its original
/// layout.
class StoredValues : public Rewriter {
 protected:
  using Rewriter::visit;
  Expr visit(const Var& var) override;

  /// Returns the current layout of a leaf or a tuple of leaves.
  ValueLayout layout_of(const Expr& e) const;
  /// Returns `e` in its current layout.
  Expr current(const Expr& e);
  /// Returns `e` converted to `layout`; a value without layout is unchanged.
  Expr stored(const Expr& e, const ValueLayout& layout);
  /// Binds `value`, stored in `layout`; a variable that leaves the block is converted to its original layout.
  void bind_stored(const Binding& b, Expr value, const ValueLayout& layout);
  /// Records the layout in which the variable is stored from here on.
  void note(const Ref<Var>& var, const ValueLayout& layout);

 private:
  Expr converted(const Expr& e, const ValueLayout& from, const ValueLayout& to);
  std::unordered_map<Ref<Var>, ValueLayout> layouts_;  // only variables that are not in their original layout
};

}  // namespace sunmao
