// StoredValues: tracks the values of a dataflow block that are stored in another layout than the program states, and
// inserts the conversions between layouts.
#pragma once
#include "ir/builder.h"
#include "ir/walk.h"
#include "ops/layout_rule.h"

namespace sunmao {

/// A rewriter that records the layout in which each variable is stored. A variable that is used by an ordinary
/// expression is converted back to its original layout.
class StoredValues : public Rewriter {
 public:
  /// New variables get names that no variable of the function has.
  explicit StoredValues(const Function& f);

 protected:
  using Rewriter::visit;
  Expr visit(const Var& var) override;

  /// Returns the layout in which a leaf, or each leaf of a tuple, is stored.
  ValueLayout layout_of(const Expr& e) const;
  /// Returns `e` as it is stored, without conversion.
  Expr current(const Expr& e);
  /// Returns `e` converted to `layout`; unchanged when it is not a tensor with a layout.
  Expr stored(const Expr& e, const ValueLayout& layout);
  /// Binds `value`, which is in `layout`, to the variable of `b`; a variable that is visible outside of the block is
  /// converted to its original layout.
  void bind_stored(const Binding& b, Expr value, const ValueLayout& layout);
  /// Records that the variable is stored in `layout`.
  void note(const Ref<Var>& var, const ValueLayout& layout);

 private:
  Expr converted(const Expr& e, const ValueLayout& from, const ValueLayout& to);
  Expr emit_new(Expr value);
  NameSupply names_;
  std::unordered_map<Ref<Var>, ValueLayout> layouts_;  // only variables that are not in their original layout
};

}  // namespace sunmao
