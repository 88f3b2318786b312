// VectorAxis: how a schedule goes along one axis in vectors: full vectors, then what is left under a mask.
#pragma once
#include "passes/loop/loop_writing.h"
#include "support/target.h"

namespace sunmao {

/// Lanes for a statement: a vector register of the widest type in it.
int vector_lanes(const Stmt& s, const Target& target);

/// body(i) for every i in [first, first + extent), `lanes` at a time.
Stmt vector_axis(const std::string& name, const Scalar& first, const Scalar& extent, int lanes, const LoopBody& body);

}  // namespace sunmao
