// Replaces loops of a constant number of steps by their steps: those marked unrolled, and others on request.
#pragma once
#include "loop/prim_func.h"
#include "support/target.h"

namespace sunmao {

/// Which loops are replaced. Those marked unrolled are, unless `explicit_unroll` is off: then code generation decides.
/// Serial loops with no loop left inside are too where they come to few enough statements or steps, both 0 by default.
struct UnrollOptions {
  int64_t auto_max_step = 0;    // statements that a serial loop comes to
  int64_t auto_max_depth = 8;   // serial loops within each other
  int64_t auto_max_extent = 0;  // steps of one serial loop
  bool explicit_unroll = true;
};

/// A marked loop with an unknown number of steps, or with very many, becomes serial.
Ref<PrimFunc> unroll_loops_as(const Ref<PrimFunc>& func, const UnrollOptions& options);
/// Under the default options.
Ref<PrimFunc> unroll_loops(const Ref<PrimFunc>& func, const Target& target);

}  // namespace sunmao
