// The sequence of loop passes that turns kernels from the blocks which op lowerings emit into the loops that code
// generation accepts.
#pragma once
#include <span>
#include <string_view>

#include "loop/prim_func.h"
#include "passes/loop/unroll_loops.h"
#include "support/target.h"

namespace sunmao {

using LoopPass = Ref<PrimFunc> (*)(const Ref<PrimFunc>&, const Target&);

struct NamedLoopPass {
  std::string_view name;
  LoopPass run;
};

/// The loop passes in the order in which they run.
std::span<const NamedLoopPass> kernel_passes();
/// Runs all passes of `kernel_passes` on a function.
Ref<PrimFunc> lower_kernel(const Ref<PrimFunc>& func, const Target& target, const UnrollOptions& unroll = {});

}  // namespace sunmao
