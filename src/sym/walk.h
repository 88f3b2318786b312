// Traversal and rewriting of scalars: children, substitution, free symbols. Unchanged scalars keep their pointers.
#pragma once
#include <unordered_map>

#include "support/function_ref.h"
#include "sym/scalar.h"

namespace sunmao {

/// Calls `visit` for each direct operand, left to right.
void for_each_child(const Scalar& s, FunctionRef<void(const Scalar&)> visit);

/// Replaces each direct operand by map(operand); returns `s` itself when none changes.
Scalar map_children(const Scalar& s, FunctionRef<Scalar(const Scalar&)> map);

/// Rewrites bottom-up: applies `map` to each node after its children; null keeps the node.
Scalar rewrite(const Scalar& s, FunctionRef<Scalar(const Scalar&)> map);

/// Visits `s` and, recursively, the operands of each node, parents first; a shared node once per occurrence.
void visit_all(const Scalar& s, FunctionRef<void(const Scalar&)> visit);

using Substitution = std::unordered_map<Ref<SymVar>, Scalar>;
Scalar substitute(const Scalar& s, const Substitution& map);

/// Returns the free symbols in order of first occurrence.
std::vector<Ref<SymVar>> free_symbols(const Scalar& s);
bool uses(const Scalar& s, const SymVar& var);

}  // namespace sunmao
