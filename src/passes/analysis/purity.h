// Which calls may have effects.
#pragma once
#include "ir/walk.h"

namespace sunmao {

struct ImpureCallQuery {
  /// Calls of this variable or function count as pure: a function that calls itself is as pure as the rest of it.
  Expr own_name = {};
  /// Says what functions of the module are; without it a call of one counts as impure.
  const Module* module = nullptr;
};

/// The first call in `e` that may have an effect, null when there is none. For a function its body is searched; the
/// functions inside count when they are called, not where they are defined.
const Call* find_impure_call(const Expr& e, const ImpureCallQuery& query = {});
inline bool contains_impure_call(const Expr& e, const ImpureCallQuery& query = {}) {
  return find_impure_call(e, query) != nullptr;
}

}  // namespace sunmao
