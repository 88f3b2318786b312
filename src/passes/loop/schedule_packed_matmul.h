// The schedule of matrix products with packed weights: register tiles, cache blocking, threads over rows and panels,
// and the fusion of an elementwise epilogue into the store of the tile.
#pragma once
#include "loop/prim_func.h"
#include "support/target.h"

namespace sunmao {

/// Schedules float32 and float64 blocks annotated {"anchor": "packed_matmul"}; returns other functions unchanged.
/// Requires that the buffers of a call do not overlap, because the last rows may be computed twice.
Ref<PrimFunc> schedule_packed_matmul(const Ref<PrimFunc>& func, const Target& target);

}  // namespace sunmao
