// Shape arithmetic that the front ends share: products, and what -1 in a target shape stands for.
#pragma once
#include "frontend/model_builder.h"

namespace sunmao {

/// Whether `s` is of a size that real models have. Longer ones are refused: nothing that walks them need fear its
/// stack.
bool is_short(const Scalar& s);
/// `s` itself; throws UnsupportedUse when it is not short.
Scalar bounded(Scalar s);

Scalar product(ModelBuilder& builder, std::span<const Scalar> dims);

/// `target` with its one -1 replaced by what is left of `from`; `code` is the error for a target that cannot be.
std::vector<Scalar> resolve_shape(ModelBuilder& builder, const std::vector<Scalar>& from, std::vector<Scalar> target,
                                  const char* code, const Span& span);

/// `x` in another shape; `x` itself where that is the shape it has.
Expr reshaped(ModelBuilder& builder, const Expr& x, std::vector<Scalar> dims, const Span& span);

/// `x` with its axes [first, last] as one.
Expr flattened(ModelBuilder& builder, const Expr& x, size_t first, size_t last, const Span& span);

/// `axis` counted from the front; fails with `code` when it is not in [-rank, rank).
int64_t from_front(int64_t axis, int64_t rank, const char* code, const Span& span);

/// x * factor, or `x` itself for 1; `factor` gets the dtype of `x`.
Expr scaled(ModelBuilder& builder, const Expr& x, double factor, const Span& span);

/// A constant of rank 0. Throws UnsupportedUse for a dtype that no number can be written in here.
Expr scalar_constant(DType dtype, double value, const Span& span);

}  // namespace sunmao
