// Random numbers as converters draw them: each call makes a random op with a seed of its own.
#pragma once
#include "frontend/torch/node_context.h"

namespace sunmao::torch {

/// Returns numbers in [low, high).
Expr uniform_numbers(const NodeContext& n, std::vector<Scalar> dims, DType dtype, double low = 0, double high = 1);
/// Returns numbers of mean 0 and deviation 1.
Expr normal_numbers(const NodeContext& n, std::vector<Scalar> dims, DType dtype);
/// Returns integers in [low, high), bounds that may be symbolic, as `dtype`.
Expr integers_between(const NodeContext& n, const Scalar& low, const Scalar& high, std::vector<Scalar> dims,
                      DType dtype);
/// Returns numbers of an exponential distribution of mean 1, above 0: float64, or float32 for narrower dtypes.
Expr exponential_numbers(const NodeContext& n, std::vector<Scalar> dims, DType dtype);
/// Returns bools that are true with the probability `share`.
Expr events(const NodeContext& n, std::vector<Scalar> dims, double share);

/// Returns `x` where `kept` is true, scaled by 1 / (1 - p), and 0 elsewhere: what is dropped with the probability `p`.
Expr dropped_out(const NodeContext& n, const Expr& x, const Expr& kept, double p);
/// Likewise, of elements that it draws.
Expr dropped_out(const NodeContext& n, const Expr& x, double p);

}  // namespace sunmao::torch
