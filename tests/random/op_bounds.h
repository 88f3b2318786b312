// How far results of an op may lie from the true ones: reads tests/ops/bounds.tsv, whose head says what its numbers
// mean.
#pragma once
#include <string>

#include "support/dtype.h"

namespace sunmao {

/// So many spacings of the result's dtype at the value, and of the dtype that sums up at the scale.
struct OpBound {
  double spacings, steps;
};
OpBound bound_of(const std::string& op, DType dtype);

/// Between the number of a float dtype at or below a magnitude, and the next one; infinite magnitudes count as 1.
double spacing(DType dtype, double value);
double largest_of(DType dtype);

/// How far a result of `dtype` may lie from the true value.
double allowed(const std::string& op, DType dtype, double value, double scale);

}  // namespace sunmao
