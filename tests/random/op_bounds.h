// Error bounds of op results, read from tests/ops/bounds.tsv, whose header defines its columns.
#pragma once
#include <string>

#include "support/dtype.h"

namespace sunmao {

/// The bound in spacings of the result's dtype at the value, plus steps of the accumulator dtype at the scale.
struct OpBound {
  double spacings, steps;
};
OpBound bound_of(const std::string& op, DType dtype);

/// Returns the distance from the number at or below a magnitude to the next one; infinite magnitudes count as 1.
double spacing(DType dtype, double value);
double largest_of(DType dtype);

/// Returns how far a result of `dtype` may be from the true value.
double allowed(const std::string& op, DType dtype, double value, double scale);

}  // namespace sunmao
