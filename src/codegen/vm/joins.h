// Elision of concatenations: their operands are computed in place, in the joined tensor.
#pragma once
#include "codegen/vm/flat_function.h"

namespace sunmao {

/// Removes kernels that concatenate tensors in memory, where most of the bytes are outputs of kernels, which then write
/// them to their part of the joined tensor; the other operands are copied. Must run before `find_places`.
void join_in_place(FlatFunction& f);

}  // namespace sunmao
