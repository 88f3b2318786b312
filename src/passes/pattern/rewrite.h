// Rewriting of functions by patterns until a fixpoint is reached.
#pragma once
#include "ir/walk.h"
#include "passes/pattern/block_matcher.h"

namespace sunmao {

/// Returns the replacement of a matched value. Returning an equal value declines; the next alternative is then tried.
using CallRewrite = std::function<Expr(const Expr&, const Matches&)>;

/// What a tuple pattern at the top level matches: only tuples in the function (Written), or also variables of one block
/// that could form a tuple, because none is used before the last of them is bound (Possible).
enum class Tuples { Written, Possible };

/// Offers every bound value that matches to `rewrite`, operands before their uses; alternatives of a top-level
/// or-pattern are tried in order. Common subexpressions, renames and dead bindings are removed between rounds. Returns
/// the same function when every match is declined; fails (E0524) when the rewriting does not terminate.
Ref<Function> rewrite_calls(const Ref<Pattern>& pattern, const CallRewrite& rewrite, const Ref<Function>& function,
                            Tuples tuples = Tuples::Written);

/// New values for variables of the matched block. A BindingRewrite receives the matches and the values that variables
/// are bound to; it declines by returning no replacement.
using Replacements = std::vector<std::pair<Ref<Var>, Expr>>;
using BindingRewrite = std::function<Replacements(const Matches&, const std::unordered_map<Ref<Var>, Expr>&)>;

/// Offers the first match in each dataflow block to `rewrite` until nothing changes; bindings are reordered so that new
/// values can use them. Fails (E0525) when a new value depends on its own variable or is for a variable that the block
/// does not bind, E0524 when it does not terminate.
Ref<Function> rewrite_bindings(const PatternGraph& graph, const BindingRewrite& rewrite, const Ref<Function>& function);

}  // namespace sunmao
