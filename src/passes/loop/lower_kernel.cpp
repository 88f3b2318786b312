#include "passes/loop/lower_kernel.h"

#include <array>

#include "passes/loop/inline_elementwise.h"
#include "passes/loop/lower_blocks.h"
#include "passes/loop/schedule.h"
#include "passes/loop/simplify_loops.h"
#include "passes/loop/vectorize_loops.h"

namespace sunmao {
namespace {

constexpr std::array<NamedLoopPass, 6> kPasses{{{"inline-elementwise", inline_elementwise},
                                                {"schedule", schedule},
                                                {"lower-blocks", lower_blocks},
                                                {"vectorize-loops", vectorize_loops},
                                                {"unroll-loops", unroll_loops},
                                                {"simplify-loops", simplify_loops}}};

}  // namespace

std::span<const NamedLoopPass> kernel_passes() { return kPasses; }

Ref<PrimFunc> lower_kernel(const Ref<PrimFunc>& func, const Target& target, const UnrollOptions& unroll) {
  Ref<PrimFunc> out = func;
  for (const NamedLoopPass& pass : kPasses)
    out = pass.run == unroll_loops ? unroll_loops_as(out, unroll) : pass.run(out, target);
  return out;
}

}  // namespace sunmao
