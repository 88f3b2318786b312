// Pairs of corresponding scalars in two types.
#pragma once
#include "ir/type.h"
#include "support/function_ref.h"

namespace sunmao {

/// Calls `f(part, a, b)` for each tensor dimension, shape value and scalar value that both types state in the same
/// position: `part` is the component of `own` that contains it, `a` the scalar in `own`, `b` the one in `other`.
void for_each_matched(const Type& own, const Type& other,
                      FunctionRef<void(const Type&, const Scalar&, const Scalar&)> f);

}  // namespace sunmao
