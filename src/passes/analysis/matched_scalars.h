// What two types say in the same places.
#pragma once
#include "ir/type.h"
#include "support/function_ref.h"

namespace sunmao {

/// Calls `f` for each dimension, value of a shape and value of a scalar that both types state, with the part of `own`
/// it stands in and what either says.
void for_each_matched(const Type& own, const Type& other,
                      FunctionRef<void(const Type&, const Scalar&, const Scalar&)> f);

}  // namespace sunmao
