// How many elements and steps a contraction has.
#pragma once
#include "passes/schedule/contraction/contraction.h"

namespace sunmao {

/// Returns the product of the extents of those loops that `value` depends on; 0 when one is unknown.
int64_t elements(const Contraction& c, const Scalar& value);
/// The same where an extent that a run says counts as one.
int64_t elements_at_least(const Contraction& c, const Scalar& value);

/// Returns the bytes of the tensor that the left operand reads, of which windows of neighbouring rows read the same
/// ones; a dimension that a run says counts as one.
int64_t left_bytes(const Contraction& c);

/// Returns the number of steps; 0 when it is unknown.
int64_t step_count(const Contraction& c);

/// True when there is one reduced loop, and a run says how many steps it has.
bool has_unknown_steps(const Contraction& c);

}  // namespace sunmao
