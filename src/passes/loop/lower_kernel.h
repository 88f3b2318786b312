// The passes that take a function from blocks, as an op's lowering writes them, to what code is generated from.
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

/// In the order in which they run.
std::span<const NamedLoopPass> kernel_passes();
/// All of them, one after the other.
Ref<PrimFunc> lower_kernel(const Ref<PrimFunc>& func, const Target& target, const UnrollOptions& unroll = {});

}  // namespace sunmao
