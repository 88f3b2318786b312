// Constant folding of scalar operations, and interval sums and products.
#pragma once
#include <optional>

#include "sym/analyzer.h"

namespace sunmao {

/// Division that rounds towards minus infinity, and its remainder; `b` must not be zero.
int64_t floor_div(int64_t a, int64_t b);
int64_t floor_mod(int64_t a, int64_t b);

/// Returns the result of an operation on int64; nullopt on overflow and division by zero. Comparisons, And and Or
/// return 0 or 1.
std::optional<int64_t> evaluate(BinaryOp op, int64_t a, int64_t b);

/// True when `value` is representable in the signed integer dtype; true for other dtypes.
bool fits(int64_t value, DType dtype);

/// True when `value` may be a literal of the integer dtype; negative literals of unsigned dtypes wrap.
bool literal_fits(int64_t value, DType dtype);

/// Folds operations on signed or boolean constants, And and Or with a constant operand, Select and `if_then_else` with
/// a constant condition, casts of integer constants to signed dtypes that hold them, and casts to the same dtype; null
/// when nothing folds.
Scalar fold_constants(const Scalar& s);

// Return the interval of all sums, or all products, of two values from the intervals; an end that is not
// representable becomes unbounded.
Interval add(Interval a, Interval b);
Interval multiply(Interval a, Interval b);

}  // namespace sunmao
