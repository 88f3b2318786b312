// Norms of vectors and matrices, which several families need.
#pragma once
#include "frontend/torch/node_context.h"

namespace sunmao::torch {

/// Returns the norm of order `order` of the float tensor `x`, rounded once; `axes` are the attributes of a reduction.
Expr vector_norm(const NodeContext& n, const Expr& x, double order, const AttrMap& axes);
/// Returns the norm of `self` over matrices that lie along two axes, as the arguments `keepdim` and `dtype` say.
Expr matrix_norm(const NodeContext& n, double order, const std::vector<int64_t>& axes);

}  // namespace sunmao::torch
