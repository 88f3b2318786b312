// Comparison of two results of a function, as far as a pass of a given effect may change them.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "eval/compare.h"
#include "eval/value.h"
#include "passes/pass.h"

namespace sunmao {

/// Returns a description such as `result 1, element [0, 2]: 1.5 before, 2.5 after`; nullopt when the values agree.
/// Floats are compared with their dtype's tolerance, whose absolute part is scaled by the largest finite magnitude in
/// the array, if that is above 1; NaN and infinities must be the same. Effect::Exact allows no tolerance; for
/// Effect::Changes, only kinds, dtypes and shapes are compared. `precisions` are the floats whose tolerance counts, for
/// each field of a result that is a tuple; void ones, and those that are missing, are the dtype itself.
std::optional<std::string> find_difference(const Value& before, const Value& after, Effect effect,
                                           const std::vector<DType>& precisions = {});

/// Returns the tolerance for an array with the rounding errors of `precision`. Those of sums are relative to the
/// magnitude of the summands, for which the largest element is a bound.
Tolerance tolerance_for(const Array& expected, DType precision);

/// Returns the largest difference between corresponding numbers of two results with equal shapes.
double largest_distance(const Value& before, const Value& after);

/// True when all floats are finite.
bool is_finite(const Value& value);

}  // namespace sunmao
