// Analysis: the family of a kernel, which says how fast it is expected to be.
#pragma once
#include "loop/prim_func.h"

namespace sunmao {

/// Returns the family of a function that is not scheduled yet, by its heaviest part: "contraction" for sums of
/// products, "window" for sums and other reductions over windows, "row" for reductions along axes, "map" for what has
/// none, "scan" for recurrent layers, which carry the attribute `scan`, and "other" for what no family takes.
const char* kernel_family(const PrimFunc& func);

}  // namespace sunmao
