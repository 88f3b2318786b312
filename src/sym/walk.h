// Walking and rebuilding scalars: children, substitution, free symbols. Unchanged means the same pointer.
#pragma once
#include <unordered_map>

#include "support/function_ref.h"
#include "sym/scalar.h"

namespace sunmao {

/// Calls `visit` on each direct operand, left to right.
void for_each_child(const Scalar& s, FunctionRef<void(const Scalar&)> visit);

/// `s` with each direct operand replaced by map(operand); `s` itself when none changes.
Scalar map_children(const Scalar& s, FunctionRef<Scalar(const Scalar&)> map);

/// Rewrites bottom-up: children first, then `map` on what results. Null from `map` keeps the node.
Scalar rewrite(const Scalar& s, FunctionRef<Scalar(const Scalar&)> map);

/// Visits every node once per occurrence, parents first.
void visit_all(const Scalar& s, FunctionRef<void(const Scalar&)> visit);

using Substitution = std::unordered_map<Ref<SymVar>, Scalar>;
Scalar substitute(const Scalar& s, const Substitution& map);

/// Free symbols in order of first occurrence.
std::vector<Ref<SymVar>> free_symbols(const Scalar& s);
bool uses(const Scalar& s, const SymVar& var);

}  // namespace sunmao
