// Analysis: calls that may have side effects.
#pragma once
#include "ir/walk.h"

namespace sunmao {

struct ImpureCallQuery {
  /// Calls of this variable or function count as pure, because a recursive call adds no effects of its own.
  Expr own_name = {};
  /// Provides the purity of module functions; when null, calls of them count as impure.
  const Module* module = nullptr;
};

/// Returns the first call in `e` that may have side effects, or null. If `e` is a function, its body is searched;
/// bodies of local functions are not, since only calling them has effects.
const Call* find_impure_call(const Expr& e, const ImpureCallQuery& query = {});
inline bool contains_impure_call(const Expr& e, const ImpureCallQuery& query = {}) {
  return find_impure_call(e, query) != nullptr;
}

}  // namespace sunmao
