// The loop passes of the pipeline on a single kernel.
#pragma once
#include "loop/prim_func.h"
#include "passes/loop/unroll_loops.h"
#include "target/target.h"

namespace sunmao {

/// Turns a kernel, from the blocks that op lowerings write, into the loops that code generation accepts: what the loop
/// passes of compiler/pipeline.cpp do to its form for the target.
Ref<PrimFunc> lower_kernel(const Ref<PrimFunc>& func, const Target& target, const UnrollOptions& unroll = {});

}  // namespace sunmao
