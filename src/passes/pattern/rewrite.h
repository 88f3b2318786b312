// Rewriting functions by patterns, over and over until nothing matches or nothing changes.
#pragma once
#include "ir/walk.h"
#include "passes/pattern/block_matcher.h"

namespace sunmao {

/// What a matched value becomes. The value itself, or an equal one, declines: the next alternative is tried.
using CallRewrite = std::function<Expr(const Expr&, const Matches&)>;

/// What a tuple pattern at the top matches: a tuple that the function has, or variables of one block as well that could
/// stand in one, for nothing has read them before the last of them is bound.
enum class Tuples { Written, Possible };

/// Offers every bound value that matches to `rewrite`, operands before what uses them. The alternatives of an
/// or-pattern at the top are tried one after the other. Common values, renames and what is no longer needed go between
/// the rounds. The same function when every match is declined. E0524 when there is no end to it.
Ref<Function> rewrite_calls(const Ref<Pattern>& pattern, const CallRewrite& rewrite, const Ref<Function>& function,
                            Tuples tuples = Tuples::Written);

/// New values for variables of the matched block, by what the patterns stand for and what variables are bound to. None
/// declines.
using Replacements = std::vector<std::pair<Ref<Var>, Expr>>;
using BindingRewrite = std::function<Replacements(const Matches&, const std::unordered_map<Ref<Var>, Expr>&)>;

/// Offers the first match in each dataflow block to `rewrite`, round by round; what the new values read moves before
/// them. E0525 when a new value has no place in its block, E0524 when there is no end to it.
Ref<Function> rewrite_bindings(const PatternGraph& graph, const BindingRewrite& rewrite, const Ref<Function>& function);

}  // namespace sunmao
