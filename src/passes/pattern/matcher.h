// Matching of an expression against a pattern.
#pragma once
#include <functional>
#include <optional>
#include <utility>

#include "passes/pattern/pattern.h"

namespace sunmao {

/// Maps each subpattern that matched to the expression it matched, inner ones first. Where matching followed a variable
/// to its value, the expression is the variable.
using Matches = std::vector<std::pair<Ref<Pattern>, Expr>>;

/// Returns the value a variable is bound to; null when unknown.
using ValueOf = std::function<Expr(const Ref<Var>&)>;

/// Returns the match of `e`, or nullopt. A pattern that occurs twice must match the same expression. The arguments of a
/// commutative op match in either order; the written order is tried first.
std::optional<Matches> match(const Ref<Pattern>& pattern, const Expr& e, const ValueOf& value_of = {});

/// True when a call with its two arguments swapped is equivalent.
bool is_commutative(const Call& call);

}  // namespace sunmao
