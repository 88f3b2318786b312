// Solving an equation for a symbol.
#pragma once
#include "sym/scalar.h"

namespace sunmao {

/// Returns the unique value of `symbol` for which `expr` equals `value`. After simplification `expr` must use the
/// symbol once, in sums, differences, and products with integer constants. Null in other cases, or when the solution is
/// not provably an integer.
Scalar solve(const Scalar& expr, const Scalar& value, const Ref<SymVar>& symbol);

}  // namespace sunmao
