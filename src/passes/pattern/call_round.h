// CallRound: one pass of rewrite_calls (rewrite.h) over a function, which offers matches to the rewriting function.
#pragma once
#include "passes/pattern/nested_values.h"
#include "passes/pattern/rewrite.h"

namespace sunmao {

/// An alternative of an or-pattern, with the or-patterns that contain it, which match whenever it does.
struct Alternative {
  Ref<Pattern> pattern;
  std::vector<Ref<Pattern>> choices;
};
std::vector<Alternative> alternatives_of(const Ref<Pattern>& pattern);

class CallRound final : public NestedRewriter {
 public:
  CallRound(const std::vector<Alternative>& alternatives, const CallRewrite& rewrite, Tuples tuples, size_t& replaced)
      : alternatives_(alternatives), rewrite_(rewrite), tuples_(tuples), replaced_(replaced) {}

 private:
  /// A variable of the visited block, and the variable that replaces it.
  struct Bound {
    Ref<Var> original, var;
  };

  using Rewriter::visit;
  void visit(const Binding& b) override;
  Ref<BindingBlock> visit_block(const Ref<BindingBlock>& block) override;

  /// Returns the variable's value, or null if a call with side effects lies between its binding and the current one.
  Expr movable_value(const Ref<Var>& v) const { return movable_.contains(v) ? value_of(v) : Expr(); }
  std::optional<Matches> find_match(const Ref<Pattern>& pattern, const Expr& e) const;
  /// Returns the replacement of `value` by the alternative; null when it does not match or `rewrite_` declines.
  Expr offer(const Alternative& alternative, const Expr& value);
  /// Matches tuple patterns against unread variables that include `last`; returns true if a match was replaced.
  bool offer_tuple(const Bound& last);
  /// Fills the empty entries of `chosen` from `index` on; returns the replacement for the first accepted choice.
  Expr choose(const Alternative& alternative, std::vector<Bound>& chosen, size_t index);
  /// Rebinds the chosen variables to the fields of `tuple`.
  void take_fields(const std::vector<Bound>& chosen, const Expr& tuple);

  const std::vector<Alternative>& alternatives_;
  const CallRewrite& rewrite_;
  const Tuples tuples_;
  std::unordered_set<Ref<Var>> movable_;
  std::vector<Bound> unread_;  // movable variables of this block without uses so far, in the order of their bindings
  size_t& replaced_;
};

}  // namespace sunmao
