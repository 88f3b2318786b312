// Norms of vectors, which several families need.
#pragma once
#include "frontend/torch/node_context.h"

namespace sunmao::torch {

/// Returns the norm of order `order` of the float tensor `x`, rounded once; `axes` are the attributes of a reduction.
Expr vector_norm(const NodeContext& n, const Expr& x, double order, const AttrMap& axes);

}  // namespace sunmao::torch
