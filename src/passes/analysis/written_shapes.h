// Replaces shapes that types denote by a variable with explicit symbolic shapes.
#pragma once
#include "ir/expr.h"

namespace sunmao {

/// Replaces each shape parameter from index `begin` on that types of parameters refer to (`s: R.Shape(ndim=1), w:
/// R.Tensor(s)`) by a shape of symbols, also in those types; a parameter of unknown rank keeps its type. Unlike a
/// variable, symbols can be used outside of the function. Returns the same pointer when there is no such parameter.
Ref<Function> with_written_shapes(const Ref<Function>& function, size_t begin);

}  // namespace sunmao
