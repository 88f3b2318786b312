// Symbols that casts define although the value's type already says what they are.
#pragma once
#include "ir/expr.h"

namespace sunmao {

/// Replaces each symbol that a match_cast defines on a value of known shape by what stands there, in types and shapes.
/// A scalar argument keeps its symbol, and the cast that defines it stays as it is. A cast that then says nothing new
/// becomes a plain binding. Fails (E0516) when two casts contradict each other.
Ref<Function> resolve_cast_symbols(const Ref<Function>& function);

}  // namespace sunmao
