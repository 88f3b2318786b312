// Symbols for sizes that a run computes.
#pragma once
#include "ir/builder.h"

namespace sunmao {

/// Returns a call of an op in the place of `original`, whose span it has.
Expr call_of(const char* name, std::vector<Expr> args, const Call& original, AttrMap attrs = {});

/// Emits a cast that defines a new symbol for each of the `count` elements of `sizes`, an integer vector.
std::vector<Scalar> named_sizes(const Expr& sizes, size_t count, BlockBuilder& builder);

}  // namespace sunmao
