// One walk over a function that offers what matches to a rewriting function. Not the rounds: rewrite.h repeats it.
#pragma once
#include "passes/pattern/nested_values.h"
#include "passes/pattern/rewrite.h"

namespace sunmao {

/// One alternative of a pattern, and the or-patterns that it stands in, which it is a match of too.
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
  /// A variable of the block that is visited, and what it is now.
  struct Bound {
    Ref<Var> original, var;
  };

  using Rewriter::visit;
  void visit(const Binding& b) override;
  Ref<BindingBlock> visit_block(const Ref<BindingBlock>& block) override;

  /// A match does not reach back over a call with an effect.
  Expr movable_value(const Ref<Var>& v) const { return movable_.contains(v) ? value_of(v) : Expr(); }
  std::optional<Matches> find_match(const Ref<Pattern>& pattern, const Expr& e) const;
  /// What the alternative makes of it; null when it does not match, or declines.
  Expr offer(const Alternative& alternative, const Expr& value);
  /// Whether a tuple of unread variables, `last` among them, matched one of the alternatives and was replaced.
  bool offer_tuple(const Bound& last);
  /// Completes `chosen` from `index` on, where it is empty; what the alternative makes of the first that it takes.
  Expr choose(const Alternative& alternative, std::vector<Bound>& chosen, size_t index);
  /// The variables become fields of `tuple` from here on.
  void take_fields(const std::vector<Bound>& chosen, const Expr& tuple);

  const std::vector<Alternative>& alternatives_;
  const CallRewrite& rewrite_;
  const Tuples tuples_;
  std::unordered_set<Ref<Var>> movable_;
  std::vector<Bound> unread_;  // movable ones of this block, in the order of their bindings
  size_t& replaced_;
};

}  // namespace sunmao
