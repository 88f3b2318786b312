// Where elements are that a condition selects, with their number as a size that data decides.
#pragma once
#include "frontend/torch/node_context.h"

namespace sunmao::torch {

/// Returns the first size of the recorded outputs that is a symbol without a value yet, or else a new one.
Scalar size_of_data(const NodeContext& n);

/// Returns the places of the elements of `x` that are not 0: (rank, count). A run checks `count` where it has a value.
Expr places_of(const NodeContext& n, const Expr& x, const Scalar& count);

/// Returns the places along the axes of `x`, a vector for each.
std::vector<Expr> places_by_axis(const NodeContext& n, const Expr& x, const Scalar& count);

}  // namespace sunmao::torch
