// The loop pass `unroll-loops`: unrolls loops of constant extent that are marked unrolled, and other loops by its
// options.
#pragma once
#include "loop/prim_func.h"
#include "target/target.h"

namespace sunmao {

/// Selects the loops to unroll. None if `explicit_unroll` is false. Otherwise the loops marked unrolled, and innermost
/// serial loops whose number of statements or extent is within its limit; both limits are 0 by default. Loops of more
/// than 1024 iterations are never unrolled, nor serial loops that would give more than 65536 statements. Stores and
/// evaluated expressions count as statements.
struct UnrollOptions {
  int64_t auto_max_step = 0;    // maximum number of statements after unrolling a serial loop
  int64_t auto_max_depth = 8;   // maximum nesting depth of unrolled serial loops
  int64_t auto_max_extent = 0;  // maximum extent of a serial loop
  bool explicit_unroll = true;
};

/// Unrolls loops by `options`. A loop marked unrolled becomes serial if it is not unrolled, for instance because its
/// extent is unknown or very large.
Ref<PrimFunc> unroll_loops_as(const Ref<PrimFunc>& func, const UnrollOptions& options);
/// Unrolls by the default options.
Ref<PrimFunc> unroll_loops(const Ref<PrimFunc>& func, const Target& target);

}  // namespace sunmao
