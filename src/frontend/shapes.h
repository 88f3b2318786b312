// Shape arithmetic shared by the front ends: products, and the meaning of -1 in target shapes.
#pragma once
#include "frontend/model_builder.h"

namespace sunmao {

/// True when the expression has at most kMaxScalarNodes nodes, more than occur in real models. Larger ones are
/// rejected, which bounds recursion depth.
bool is_short(const Scalar& s);
/// Returns `s`; throws UnsupportedUse unless `is_short(s)`.
Scalar bounded(Scalar s);

Scalar product(ModelBuilder& builder, std::span<const Scalar> dims);

/// Returns `target` with its single -1 replaced by the number of elements of `from` divided by the product of the
/// others; fails with `code` on an invalid target.
std::vector<Scalar> resolve_shape(ModelBuilder& builder, const std::vector<Scalar>& from, std::vector<Scalar> target,
                                  const char* code, const Span& span);

/// Returns `x` reshaped; `x` itself when it has the shape already.
Expr reshaped(ModelBuilder& builder, const Expr& x, std::vector<Scalar> dims, const Span& span);

/// Returns `x` with the axes [first, last] merged into one.
Expr flattened(ModelBuilder& builder, const Expr& x, size_t first, size_t last, const Span& span);

/// Returns `axis` counted from the front; fails with `code` when it is not in [-rank, rank).
int64_t from_front(int64_t axis, int64_t rank, const char* code, const Span& span);

/// Returns x * factor, or `x` itself for 1; `factor` is converted to the dtype of `x`.
Expr scaled(ModelBuilder& builder, const Expr& x, double factor, const Span& span);

/// Returns a float32, float64, int32 or int64 constant of rank 0. Throws UnsupportedUse for other dtypes, and for
/// numbers that an integer dtype cannot hold or whose magnitude is 2**31 or more in one.
Expr scalar_constant(DType dtype, double value, const Span& span);

}  // namespace sunmao
