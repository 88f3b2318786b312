// Shapes that types name by a variable, written out in symbols.
#pragma once
#include "ir/expr.h"

namespace sunmao {

/// Where a parameter from `begin` on is a shape that types name (`s: R.Shape(ndim=1), w: R.Tensor(s)`), it is of
/// symbols of its own, and so are those types: a variable cannot leave its function, what a symbol is can be said
/// anywhere. The same pointer where there is none.
Ref<Function> with_written_shapes(const Ref<Function>& function, size_t begin);

}  // namespace sunmao
