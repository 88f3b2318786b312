// Symbols for sizes that a run computes.
#pragma once
#include "ir/builder.h"

namespace sunmao {

/// Emits a cast that defines a new symbol for each of the `count` elements of `sizes`, an integer vector.
std::vector<Scalar> named_sizes(const Expr& sizes, size_t count, BlockBuilder& builder);

}  // namespace sunmao
