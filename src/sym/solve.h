// Solving for a symbol: what it must be when an expression of it has a known value.
#pragma once
#include "sym/scalar.h"

namespace sunmao {

/// The one value of `symbol` for which `expr` is `value`, where `expr` holds it once, in a sum or a product with
/// constants. Null when it stands elsewhere, or when the value is not provably an integer.
Scalar solve(const Scalar& expr, const Scalar& value, const Ref<SymVar>& symbol);

}  // namespace sunmao
