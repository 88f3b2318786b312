// Schedules matrix products on packed weights: register tiles, blocks for the caches, rows and panels in parallel,
// and what is done to each element afterwards at the store of the tile.
#pragma once
#include "loop/prim_func.h"
#include "support/target.h"

namespace sunmao {

/// Blocks annotated {"anchor": "packed_matmul"} of float32 or float64; other functions come back as they are. Relies on
/// the buffers of a call not overlapping: the last rows may be computed twice.
Ref<PrimFunc> schedule_packed_matmul(const Ref<PrimFunc>& func, const Target& target);

}  // namespace sunmao
