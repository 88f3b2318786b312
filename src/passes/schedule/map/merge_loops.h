// merge_loops: fuses neighbouring loops of a nest whose dimensions are adjacent in all buffers.
#pragma once
#include "passes/loop/buffer_views.h"
#include "passes/loop/store_nest.h"

namespace sunmao {

/// Returns the nest with as few loops as possible, on reshaped views of its buffers; the nest itself when none can be
/// fused. Two neighbours are fused where the store and each load use both as adjacent indices, or neither.
StoreNest merge_loops(const StoreNest& nest, BufferViews& views);

/// Does the same with reduced loops of a reduction alone, so that short lines of an image make one long loop.
StoreNest merge_reduced_loops(const StoreNest& nest, BufferViews& views);

}  // namespace sunmao
