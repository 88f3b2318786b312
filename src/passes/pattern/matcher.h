// Matching one expression against a pattern.
#pragma once
#include <functional>
#include <optional>
#include <utility>

#include "passes/pattern/pattern.h"

namespace sunmao {

/// What each part of a pattern stands for, inner parts before outer ones. A part that follows a variable to its value
/// stands for the variable.
using Matches = std::vector<std::pair<Ref<Pattern>, Expr>>;

/// What a variable is bound to; null where that is not known.
using ValueOf = std::function<Expr(const Ref<Var>&)>;

/// The parts of a match, or nothing where `e` is not of the pattern. A pattern that occurs twice stands for the same
/// expression both times. The arguments of a commutative op match in either order, the written one first.
std::optional<Matches> match(const Ref<Pattern>& pattern, const Expr& e, const ValueOf& value_of = {});

/// Whether a call means the same with its two arguments exchanged.
bool is_commutative(const Call& call);

}  // namespace sunmao
