// The step of a contraction: what is added to the sums of a tile at once. Tiles, copies of operands and layouts of
// weights ask here; they know no types of elements.
#pragma once
#include "passes/schedule/contraction/contraction.h"
#include "support/target.h"

namespace sunmao {

/// Returns the number of columns that a vector of sums holds.
int64_t step_lanes(const Contraction& c, const Target& target);

/// Returns the bytes of an operand that a step reads for a row or a column.
int64_t step_bytes(const Contraction& c);

/// True when a step on `right`, the right operand in place, has a form on vectors of columns.
bool has_vector_step(const Contraction& c, const Scalar& right, int64_t lanes);

/// Returns a sum after a step.
Scalar step_sum(const Contraction& c, const Scalar& sum, const Scalar& left, const Scalar& right);

}  // namespace sunmao
