// Resolution of symbols that a match_cast defines although the type of its value already determines them.
#pragma once
#include "ir/expr.h"

namespace sunmao {

/// Replaces each symbol that a match_cast defines on a value of known shape by the dimension at its position, in types
/// and shapes, and in numbers if `in_numbers`; else a cast that defines a symbol which numbers use is kept. Casts that
/// add no information become plain bindings. Fails (E0516) when two casts provably contradict each other.
Ref<Function> resolve_cast_symbols(const Ref<Function>& function, bool in_numbers);

}  // namespace sunmao
