#include "passes/schedule/lower_kernel.h"

#include "passes/loop/expand_intrinsics.h"
#include "passes/loop/lower_blocks.h"
#include "passes/loop/simplify_loops.h"
#include "passes/loop/vectorize_loops.h"
#include "passes/schedule/inline_elementwise.h"
#include "passes/schedule/schedule.h"

namespace sunmao {

Ref<PrimFunc> lower_kernel(const Ref<PrimFunc>& func, const Target& target, const UnrollOptions& unroll) {
  const Ref<PrimFunc> scheduled = schedule(inline_elementwise(func), target);
  const Ref<PrimFunc> plain = vectorize_loops(lower_blocks(scheduled, target), target);
  return expand_intrinsics(simplify_loops(unroll_loops_as(plain, unroll), target), target);
}

}  // namespace sunmao
