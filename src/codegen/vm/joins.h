// Tensors that are made where a concatenation has them.
#pragma once
#include "codegen/vm/flat_function.h"

namespace sunmao {

/// Takes the place of kernels that put tensors one behind another, where most of these bytes are outputs of kernels
/// that can write them there; what is left is copied. To be called before places of updates are chosen.
void join_in_place(FlatFunction& f);

}  // namespace sunmao
