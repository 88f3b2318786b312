// Arithmetic on known numbers: what a scalar operation gives on constants, and interval sums and products.
#pragma once
#include <optional>

#include "sym/analyzer.h"

namespace sunmao {

/// Towards minus infinity; `b` is not zero.
int64_t floor_div(int64_t a, int64_t b);
int64_t floor_mod(int64_t a, int64_t b);

/// The value of one integer operation; nullopt on overflow and on division by zero. Comparisons give 0 or 1.
std::optional<int64_t> evaluate(BinaryOp op, int64_t a, int64_t b);

/// Whether a signed integer of the dtype can be `value`.
bool fits(int64_t value, DType dtype);

/// Whether an integer of the dtype may be written as `value`: unsigned ones count from below 0 too, as they wrap.
bool literal_fits(int64_t value, DType dtype);

/// The node with constant operands computed, and with the neutral cases of logic and selection; null when nothing
/// folds.
Scalar fold_constants(const Scalar& s);

// The extremes of int64 absorb: no bound stays no bound.
Interval add(Interval a, Interval b);
Interval multiply(Interval a, Interval b);

}  // namespace sunmao
