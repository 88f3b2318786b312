// Kernels as the evaluator runs them: vector operations as loops over their lanes.
#pragma once
#include "ir/module.h"
#include "loop/stmt.h"

namespace sunmao {

/// Returns the statement in which each vector operation is a loop over the lanes, with scalars alone; the statement
/// itself when it has vectors of unknown length or buffers of vectors.
Stmt with_lane_loops(const Stmt& s);

/// Returns the module with the first target's forms in the place of kernels, and with lane loops: the evaluator then
/// computes what compiled forms compute.
Module evaluable_forms(const Module& module);

}  // namespace sunmao
