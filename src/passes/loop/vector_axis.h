// vector_axis: a loop over one axis in vectors, with a masked vector for the remainder.
#pragma once
#include "passes/loop/loop_writing.h"
#include "support/target.h"

namespace sunmao {

/// Returns the number of lanes for a statement: as many as a vector register holds of the widest dtype in it. Floats of
/// less than 32 bits in arithmetic count as 32 bits; int64 arithmetic and indices of loads do not count.
int vector_lanes(const Stmt& s, const Target& target);

/// Emits body(i) for every i in [first, first + extent), in vectors of `lanes`.
Stmt vector_axis(const std::string& name, const Scalar& first, const Scalar& extent, int lanes, const LoopBody& body);

}  // namespace sunmao
