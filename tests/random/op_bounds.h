// Error bounds of op results, read from tests/ops/bounds.tsv, whose header defines its columns.
#pragma once
#include <string>

#include "support/dtype.h"

namespace sunmao {

/// An error bound: a number of spacings of the result's dtype at the true value, plus a number of spacings of the
/// accumulator's dtype at `scale`, the largest magnitude among inputs and results.
struct OpBound {
  double spacings, steps;
};
OpBound bound_of(const std::string& op, DType dtype);

/// Returns the distance between the two neighbouring numbers of a dtype that enclose the magnitude of `value`; infinity
/// counts as 1.
double spacing(DType dtype, double value);
double largest_of(DType dtype);

/// Returns the largest allowed difference between a result of `dtype` and the true value.
double allowed(const std::string& op, DType dtype, double value, double scale);

}  // namespace sunmao
