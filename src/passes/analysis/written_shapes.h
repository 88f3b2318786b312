// Replaces shapes that types denote by a variable with explicit symbolic shapes.
#pragma once
#include "ir/expr.h"

namespace sunmao {

/// Gives each shape parameter from index `begin` on that types of parameters refer to (`s: R.Shape(ndim=1), w:
/// R.Tensor(s)`) symbols as values, also in those types; one of unknown rank keeps its type. Symbols can be used
/// outside the function, a variable cannot. Returns the same pointer when there is no such parameter.
Ref<Function> with_written_shapes(const Ref<Function>& function, size_t begin);

}  // namespace sunmao
